import type { ESPLoader } from 'esptool-js'
import { getStubJsonByChipName } from 'esptool-js/lib/stubFlasher.js'
import { ESP32S3ROM } from 'esptool-js/lib/targets/esp32s3.js'
import { AppError } from '../../base/app-error.ts'

/** The only door to esptool-js: its stub and its knowledge of the chip. Transport, reset and writing are ours (ARCHITECTURE.md, D7). */
export interface StubProgram {
  readonly entry: number
  readonly segments: readonly { readonly address: number; readonly bytes: Uint8Array }[]
}

export interface ChipDescription {
  readonly name: string
  /** Such as `v0.2`. */
  readonly revision: string
  /** major * 100 + minor, as image headers count. */
  readonly revisionNumber: number
  /** Lower case with colons. */
  readonly mac: string
  readonly psram: string | null
}

/** The stub that the package carries for the S3. */
export async function loadStub(): Promise<StubProgram> {
  const stub = await getStubJsonByChipName('ESP32-S3', 0)
  if (!stub) throw new AppError('flash-protocol', 'The stub for the ESP32-S3 is missing in this installation')
  return {
    entry: stub.entry,
    segments: [
      { address: stub.text_start, bytes: stub.decodedText },
      { address: stub.data_start, bytes: stub.decodedData },
    ],
  }
}

/** Reads what the eFuses of an S3 say. */
export async function describeChip(readRegister: (address: number) => Promise<number>): Promise<ChipDescription> {
  const chip = new ESP32S3ROM()
  // The methods called here use nothing of the loader but readReg.
  const loader = { readReg: readRegister } as unknown as ESPLoader
  const major = await chip.getMajorChipVersion(loader)
  const minor = await chip.getMinorChipVersion(loader)
  return {
    name: 'ESP32-S3',
    revision: `v${String(major)}.${String(minor)}`,
    revisionNumber: major * 100 + minor,
    mac: await chip.readMac(loader),
    psram: psramText(await readRegister(0x60007054), await readRegister(0x60007058)),
  }
}

/** Size bits lie in two words (flashing.md §2); the package reads the low ones only. */
function psramText(low: number, high: number): string | null {
  const code = ((low >> 3) & 3) | (((high >> 19) & 1) << 2)
  const size = { 1: '8 MB', 2: '2 MB', 3: '16 MB', 4: '4 MB' }[code]
  return size ?? null
}
