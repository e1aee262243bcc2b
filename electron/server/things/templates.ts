import airConditioner from './templates/air-conditioner.json' with { type: 'json' }
import climateSensor from './templates/climate-sensor.json' with { type: 'json' }
import curtain from './templates/curtain.json' with { type: 'json' }
import fan from './templates/fan.json' with { type: 'json' }
import lamp from './templates/lamp.json' with { type: 'json' }
import ledRing from './templates/led-ring.json' with { type: 'json' }
import pump from './templates/pump.json' with { type: 'json' }
import relay from './templates/relay.json' with { type: 'json' }
import servo from './templates/servo.json' with { type: 'json' }
import speaker from './templates/speaker.json' with { type: 'json' }
import type { ThingTemplate } from '../../contract/rpc-things.ts'
import { ThingModel } from '../../contract/thing.ts'

/** The drawn parts. A new one is a file in templates/ and a line here; its id is what the file calls its template. */
export const thingTemplates: readonly ThingTemplate[] = [
  airConditioner,
  lamp,
  ledRing,
  fan,
  curtain,
  climateSensor,
  relay,
  servo,
  pump,
  speaker,
].map((file) => {
  const model = ThingModel.parse(file)
  return { id: model.template ?? '', model }
})
