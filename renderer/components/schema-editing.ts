import { inject, provide, type Component, type ComputedRef, type InjectionKey } from 'vue'
import type { SchemaNode } from './schema-model.ts'

/** What every part of the schema builder needs: the whole tree, and the one way to change it. */
export interface SchemaEditing {
  readonly root: ComputedRef<SchemaNode>
  /** `topic`: keystrokes of one topic are one step of undo. */
  apply(change: (root: SchemaNode) => SchemaNode, topic?: string): void
  /** Told to people who do not see the move. */
  say(text: string): void
  readonly disabled: ComputedRef<boolean>
  /** What draws one place whole. Places lie in places, so the parts get it from here and not from each other. */
  readonly details: Component
}

const key: InjectionKey<SchemaEditing> = Symbol('schema editing')

export const provideSchemaEditing = (editing: SchemaEditing) => provide(key, editing)

export function useSchemaEditing(): SchemaEditing {
  const editing = inject(key)
  if (!editing) throw new Error('A schema part outside of SchemaBuilder')
  return editing
}
