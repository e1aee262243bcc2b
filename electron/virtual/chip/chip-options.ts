import { AppError } from '../../base/app-error.ts'

/** `7C:DF:A1:E0:12:34` or with dashes; lower case with colons comes back. Throws `server-bad-usage`. */
export function parseMac(text: string): string {
  const mac = text.toLowerCase().replaceAll('-', ':')
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac)) {
    throw new AppError('server-bad-usage', `"${text}" is no MAC address: six hex bytes, as in 7c:df:a1:e0:12:34`)
  }
  return mac
}

const flashSizes = [1, 2, 4, 8, 16, 32, 64]

/** `16MB` in bytes; the sizes that an ESP32-S3 image header can name and a flash id can tell. Throws `server-bad-usage`. */
export function parseFlashSize(text: string): number {
  const size = Number(/^(\d{1,2})MB$/i.exec(text)?.[1] ?? 0)
  if (!flashSizes.includes(size)) {
    throw new AppError(
      'server-bad-usage',
      `"${text}" is no flash size: ${flashSizes.map((mb) => `${mb}MB`).join(', ')}`,
    )
  }
  return size * 0x100000
}
