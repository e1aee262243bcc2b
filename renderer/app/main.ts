import { createPinia } from 'pinia'
import { createApp } from 'vue'
import { useAccountStore } from '../stores/account.ts'
import { usePreferencesStore } from '../stores/preferences.ts'
import App from './App.vue'
import { i18n, useLanguage } from './i18n.ts'
import { createConsoleRouter } from './routes.ts'
import './theme.css'

const app = createApp(App)
app.use(createPinia())
app.use(i18n)
await useLanguage(usePreferencesStore().language)
app.use(createConsoleRouter(useAccountStore()))
app.mount('#app')
