import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { AppError } from '../../base/app-error.ts'
import type { JsonSchema } from '../../contract/tool.ts'
import { checkSchemaCost, safePattern } from './schema-cost.ts'

/** What is wrong with a value, and where: `path` is a JSON Pointer, empty for the whole. */
export interface SchemaFault {
  readonly path: string
  readonly message: string
}

export interface SchemaChecker {
  /** Undefined when the value fits. Throws tool-bad-schema for a schema that cannot be used. */
  fault(schema: JsonSchema, value: unknown): SchemaFault | undefined
  /** Throws tool-bad-schema with the reason: before a schema from outside is kept. */
  inspect(schema: JsonSchema): void
}

/** The door to ajv: JSON Schema 2020-12, each schema compiled once and forgotten together with its object. */
export function createSchemaChecker(): SchemaChecker {
  const compiled = new WeakMap<JsonSchema, ValidateFunction>()
  const ajv = createAjv()

  function compile(schema: JsonSchema): ValidateFunction {
    const known = compiled.get(schema)
    if (known) return known
    checkSchemaCost(schema)
    const bare = anonymous(schema)
    try {
      const made = ajv.compile(bare)
      compiled.set(schema, made)
      return made
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message.slice(0, 200) : 'unknown'
      throw new AppError('tool-bad-schema', `The schema cannot be used: ${reason}`, { cause })
    } finally {
      // Ajv keeps what it compiled for ever; our map forgets it together with the tool.
      ajv.removeSchema(bare)
    }
  }

  return {
    inspect: (schema) => void compile(schema),
    fault(schema, value) {
      const validate = compile(schema)
      if (validate(value)) return undefined
      return describe(validate.errors?.[0])
    },
  }
}

function createAjv(): Ajv2020 {
  return new Ajv2020({
    // Unknown keywords are annotations in 2020-12, and so is `format`.
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp: Object.assign(safePattern, { code: 'undefined' }) },
  })
}

/** Two schemas may carry one `$id`, and MCP servers like to name draft-07: the keywords that tools use mean the same. */
function anonymous(schema: JsonSchema): JsonSchema {
  const { $id: _id, $schema: _dialect, ...rest } = schema
  return rest
}

function describe(error: ErrorObject | undefined): SchemaFault {
  const extra: unknown = error?.params['additionalProperty'] ?? error?.params['allowedValues']
  const named = extra === undefined ? '' : ` (${JSON.stringify(extra).slice(0, 100)})`
  return { path: error?.instancePath ?? '', message: `${error?.message ?? 'does not fit'}${named}` }
}
