import type { ImageInfo, Lane, PortInfo } from '../../electron/contract/flash.ts'
import type { Job } from '../../electron/contract/job.ts'
import type { LibraryImage } from '../../electron/contract/rpc.ts'

// Test support: lanes, jobs, ports and images as the scripted server of the console tests tells them.

const DAY = 86_400_000

export function laneOf(port: string, over: Partial<Lane> = {}): Lane {
  return {
    port,
    phase: 'write',
    result: null,
    code: null,
    message: null,
    board: {
      chip: 'ESP32-S3',
      revision: 'v0.2',
      mac: '7c:df:a1:11:22:33',
      flashSize: 16_777_216,
      flashId: 'c84018',
      psram: '8 MB',
    },
    bytesDone: 2_640_000,
    bytesTotal: 4_194_304,
    bytesPerSecond: 46_000,
    baud: 921_600,
    degraded: false,
    retries: 0,
    sha256: null,
    startedAt: Date.now() - 50_000,
    endedAt: null,
    ...over,
  }
}

export function jobOf(over: Partial<Job> = {}): Job {
  return {
    id: 'job-1',
    kind: 'flash',
    title: 'Flash roost-voice 2.4.1',
    state: 'running',
    progress: 0.55,
    lanes: [
      laneOf('/dev/ttyUSB0'),
      laneOf('/dev/ttyUSB1', { result: 'proved', phase: 'hello', endedAt: Date.now() - 4_000 }),
    ],
    deviceId: null,
    code: null,
    message: null,
    startedAt: Date.now() - 52_000,
    endedAt: null,
    retryable: false,
    ...over,
  }
}

export const failedJob = (): Job =>
  jobOf({
    state: 'failed',
    progress: null,
    endedAt: Date.now() - 9_000,
    retryable: true,
    code: 'flash-no-answer',
    message: '2 of 3 lanes failed',
    lanes: [
      laneOf('/dev/ttyUSB0', {
        result: 'failed',
        phase: 'detect',
        board: null,
        code: 'flash-no-answer',
        message: 'No answer to 8 syncs at 115200 baud',
        bytesPerSecond: null,
      }),
      laneOf('/dev/ttyUSB1', {
        result: 'failed',
        phase: 'verify',
        code: 'flash-verify-failed',
        message: 'MD5 of 0x10000 differs',
        retries: 2,
        degraded: true,
      }),
      laneOf('/dev/ttyUSB2', { result: 'written', phase: 'reset' }),
    ],
  })

export function portOf(path: string, over: Partial<PortInfo> = {}): PortInfo {
  return {
    path,
    vendorId: '303a',
    productId: '1001',
    serialNumber: '7C:DF:A1:11:22:33',
    manufacturer: 'Espressif',
    hubPath: '1-2.3',
    virtual: false,
    usable: true,
    reason: null,
    ...over,
  }
}

export function imageOf(id: string, over: Partial<LibraryImage> = {}, info: Partial<ImageInfo> = {}): LibraryImage {
  return {
    id,
    name: 'roost-voice-2.4.1.bin',
    virtual: false,
    addedAt: Date.now() - DAY,
    info: {
      kind: 'merged',
      size: 4_194_304,
      sha256: '9f2c77a1b0'.padEnd(64, '0'),
      chip: 'ESP32-S3',
      chipId: 9,
      flashSize: 16_777_216,
      flashMode: 'dio',
      minRevision: 0,
      maxRevision: 99,
      project: 'roost-voice',
      version: '2.4.1',
      idfVersion: 'v5.4',
      built: '2026-11-02',
      elfSha256: null,
      partitions: [],
      problems: [],
      ...info,
    },
    ...over,
  }
}
