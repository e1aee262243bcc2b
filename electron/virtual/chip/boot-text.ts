/** Why the chip started, as its ROM prints it. */
export const resetCause = {
  powerOn: '0x1 (POWERON)',
  software: '0x3 (RTC_SW_SYS_RST)',
  taskWatchdog: '0x7 (TG0WDT_SYS_RST)',
  softwareCpu: '0xc (RTC_SW_CPU_RST)',
  brownOut: '0xf (BROWNOUT_RST)',
  rtcWatchdog: '0x10 (RTCWDT_RTC_RST)',
  usb: '0x15 (USB_UART_CHIP_RESET)',
} as const

export type ResetCause = (typeof resetCause)[keyof typeof resetCause]

export function romBanner(cause: ResetCause, download: boolean): readonly string[] {
  const boot = download ? '0x0 (DOWNLOAD(USB/UART0))' : '0x8 (SPI_FAST_FLASH_BOOT)'
  return [
    'ESP-ROM:esp32s3-20210327',
    'Build:Mar 27 2021',
    `rst:${cause},boot:${boot}`,
    ...(cause === resetCause.powerOn || cause === resetCause.usb ? [] : ['Saved PC:0x40378b26']),
    ...(download ? ['waiting for download'] : []),
  ]
}

/** The last words before a brown-out reset. */
export const brownOutLines: readonly string[] = ['', 'Brownout detector was triggered', '']

/** ESP-IDF's log form; times are those of a typical boot, not measured. */
export function bootLogger(): (level: 'I' | 'W' | 'E', tag: string, message: string) => string {
  let ms = 24
  return (level, tag, message) => {
    ms += 3
    return `${level} (${ms}) ${tag}: ${message}`
  }
}
