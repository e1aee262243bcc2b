import { defineConfig } from 'vitest/config'

// What is waited for comes when a busy machine lets it come: nothing here measures time by waiting.
const expectation = { poll: { timeout: 10_000 } }

// Two projects, so that `vitest --project unit` stays quick. Native modules need forks.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['electron/**/*.test.ts', 'renderer/**/*.test.ts', 'firmware/**/*.test.ts'],
          pool: 'forks',
          expect: expectation,
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'behavior',
          include: ['test/behavior/**/*.test.ts'],
          pool: 'forks',
          expect: expectation,
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'long',
          include: ['test/long/**/*.test.ts'],
          pool: 'forks',
          expect: expectation,
          maxWorkers: 1,
          testTimeout: 3_600_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
