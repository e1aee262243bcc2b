import js from '@eslint/js'
import vueI18n from '@intlify/eslint-plugin-vue-i18n'
import prettier from 'eslint-config-prettier'
import vue from 'eslint-plugin-vue'
import globals from 'globals'
import tseslint from 'typescript-eslint'

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Named exports only: the name is the file name (style C.14).',
}
const noExportAll = { selector: 'ExportAllDeclaration', message: 'No barrels (style C.4).' }
const noErrorClass = {
  selector: 'ClassDeclaration[superClass.name=/Error$/]',
  message: 'One error class: AppError in base/app-error.ts (style C.9).',
}
const noMocks = {
  selector: "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock|spyOn|stubGlobal)$/]",
  message: 'Fake the far end, never a module (style C.1).',
}
const noSleep = {
  selector: "CallExpression[callee.name='setTimeout']",
  message: 'Wait for a message or poll a condition; a test never sleeps (style C.11).',
}
const noEnv = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read in config.ts, cli/environment.ts and main only (style E.9).',
}
const noSkip = {
  selector: 'CallExpression[callee.property.name=/^(only|todo|fixme)$/][callee.object.name=/^(it|test|describe)$/]',
  message: 'Every test runs.',
}

export default tseslint.config(
  { ignores: ['out', 'dist', 'node_modules', 'test-results', 'playwright-report', 'resources/wasm'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  ...vue.configs['flat/recommended'],
  {
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.node.json', './tsconfig.main.json', './tsconfig.web.json', './tsconfig.test.json'],
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.vue'],
        parser: tseslint.parser,
      },
    },
    rules: {
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
      'max-depth': ['error', 3],
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', noDefaultExport, noExportAll, noErrorClass, noEnv],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unified-signatures': 'off',
    },
  },
  { files: ['electron/base/app-error.ts'], rules: { 'no-restricted-syntax': ['error', noDefaultExport, noExportAll] } },
  {
    files: ['electron/server/config.ts', 'electron/cli/environment.ts', 'electron/main/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', noDefaultExport, noExportAll, noErrorClass] },
  },
  {
    files: ['**/*.test.ts', '**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-syntax': ['error', noExportAll, noErrorClass, noMocks, noSleep, noSkip],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['renderer/**/*.{ts,vue}'],
    plugins: { '@intlify/vue-i18n': vueI18n },
    settings: { 'vue-i18n': { localeDir: './renderer/locales/*.json', messageSyntaxVersion: '^11.0.0' } },
    languageOptions: { globals: globals.browser },
    rules: {
      '@intlify/vue-i18n/no-raw-text': ['error', { ignorePattern: '^[\\s\\d·•:%/()+,.…–—|→#-]*$' }],
      '@intlify/vue-i18n/no-missing-keys': 'error',
      'vue/multi-word-component-names': 'off',
      'vue/no-static-inline-styles': 'error',
      'vue/no-v-html': 'error',
      'vue/block-order': ['error', { order: ['script', 'template', 'style'] }],
    },
  },
  {
    files: ['renderer/**/*.vue'],
    rules: { 'max-lines-per-function': 'off', 'no-restricted-syntax': ['error', noErrorClass] },
  },
  {
    files: ['**/*.{js,mjs,cjs}', '*.config.ts'],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    files: ['**/*.{js,mjs,cjs}', '*.config.ts'],
    languageOptions: { globals: globals.node, parserOptions: { project: false } },
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      'no-console': 'off',
      'no-restricted-syntax': ['error', noExportAll],
      '@typescript-eslint/no-require-imports': 'off',
    },
  },
  prettier,
)
