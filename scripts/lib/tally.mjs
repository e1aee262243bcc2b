/** Sums of a vitest JSON report. A suite that did not even load counts as one failure: it must never look green. */
export function vitestTally(report, exitedWell) {
  if (!report) return { passed: 0, failed: 1, skipped: 0, skips: [] }
  const skips = []
  let brokenFiles = 0
  for (const file of report.testResults) {
    if (file.status === 'failed' && file.assertionResults.length === 0) brokenFiles += 1
    for (const test of file.assertionResults) {
      if (test.status === 'pending' || test.status === 'skipped') skips.push(reasonOf(test))
    }
  }
  const failed = report.numFailedTests + brokenFiles
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && !exitedWell ? 1 : failed,
    skipped: skips.length,
    skips,
  }
}

/** vitest's ctx.skip(note) does not reach the JSON report, so a skipped test says its reason in its own name. */
function reasonOf(test) {
  return test.fullName
}

export function playwrightTally(report, exitedWell) {
  if (!report) return { passed: 0, failed: 1, skipped: 0, skips: [] }
  const skips = []
  for (const test of report.suites.flatMap(testsOf)) {
    if (test.status !== 'skipped') continue
    const reason = test.annotations.find((annotation) => annotation.type === 'skip')?.description
    skips.push(`${test.title}${reason ? `: ${reason}` : ''}`)
  }
  const { expected, unexpected, flaky } = report.stats
  const failed = unexpected + flaky + (report.errors?.length ?? 0)
  return { passed: expected, failed: failed === 0 && !exitedWell ? 1 : failed, skipped: skips.length, skips }
}

function testsOf(suite) {
  const own = (suite.specs ?? []).flatMap((spec) => spec.tests.map((test) => ({ ...test, title: spec.title })))
  return [...own, ...(suite.suites ?? []).flatMap(testsOf)]
}
