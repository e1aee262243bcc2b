import type { ToolVersion } from '../../contract/tool.ts'

/**
 * Firmware, OTA, pairing, tokens and the deletion of devices or data: no model ever sees these, whoever brought them
 * (reliability.md C 44). The name decides, because it is all that a board may say; a person can still call them.
 */
const words = [
  /\b(?:ota|firmware|bootloader|partition|efuse|nvs)\b/,
  /\b(?:factory reset|reset factory|erase flash|flash (?:erase|write|image)|format (?:flash|disk|storage))\b/,
  /\b(?:pair|unpair|pairing|provision|provisioning|enrol|enroll|enrolment|enrollment|claim)\b/,
  /\b(?:token|tokens|credential|credentials|password|passwords|secret|secrets|api key)\b/,
  /^wipe(?: out)?$/,
  /\b(?:delete|remove|forget|erase|purge|wipe) (?:all )?(?:device|devices|board|boards|account|accounts|user|users|history|data|database|flash|disk|everything)\b/,
]

export function isForPeopleOnly(tool: Pick<ToolVersion, 'name'>): boolean {
  const spoken = tool.name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .toLowerCase()
  return words.some((word) => word.test(spoken))
}
