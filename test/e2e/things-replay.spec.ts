import { expect } from '@playwright/test'
import { consoleTest as test, violations } from '../support/console-page-test.ts'

const csv = (text: string) => ({ name: 'week.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })

test('a file of measurements plays into a simulated Thing, is steered, and one with faults says where', async ({
  page,
  open,
  server,
}) => {
  await open('/things/desk_lamp')
  const box = page.getByRole('group', { name: 'Replay measurements' })
  await box.getByLabel('CSV file').setInputFiles(csv('time,brightness,humidity\n0,199,1\nx,20,2\n'))
  await expect(box.getByRole('alert')).toContainText('Nothing was played')
  await expect(box.getByRole('alert')).toContainText('“humidity” is no property of this Thing')
  await expect(box.getByRole('alert')).toContainText('brightness: “199” does not fit')
  expect(await violations(page)).toEqual([])

  await box.getByLabel('CSV file').setInputFiles(csv('time,brightness\n0,19\n3600,28\n'))
  await expect(box.getByRole('alert')).toBeHidden()
  await expect(box).toContainText('week.csv')
  await expect.poll(() => server.things.live('desk_lamp')?.readings['brightness']?.value).toBe(19)
  await box.getByRole('button', { name: 'Pause' }).click()
  await expect(box).toContainText('paused')
  await box.getByLabel('Speed').selectOption('60')
  await box.getByRole('slider', { name: 'Position' }).focus()
  await page.keyboard.press('End')
  await expect(box).toContainText('at its end')
  await expect.poll(() => server.things.live('desk_lamp')?.readings['brightness']?.value).toBe(28)
  expect(await violations(page)).toEqual([])
  await box.getByRole('button', { name: 'Stop replay' }).click()
  await expect(box.getByRole('slider')).toBeHidden()
})
