import { z } from 'zod'
import data from './born-tools.json' with { type: 'json' }
import { ToolVersion } from './tool.ts'

/** The published tools that every registry is born with, version 1 (iotta-protocol.md §4). */
export const bornTools: readonly ToolVersion[] = z.array(ToolVersion).parse(data)
