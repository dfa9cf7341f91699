// The types of a call, derived from the generated ones.
import type { Operations } from './generated/operations.ts'

export type OperationId = keyof Operations
export type Reply<Id extends OperationId> = Operations[Id]['reply']

/** A part that may be empty may be left out; a part the operation does not have may not be given. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : [keyof NonNullable<T>] extends [never]
    ? { [K in Name]?: unknown extends T ? T : undefined }
    : undefined extends T
      ? { [K in Name]?: T }
      : Record<never, never> extends T
        ? { [K in Name]?: T }
        : { [K in Name]: T }

export type Input<Id extends OperationId> = Part<'params', Operations[Id]['params']> &
  Part<'query', Operations[Id]['query']> &
  Part<'body', Operations[Id]['body']>

type CallOptions = { signal?: AbortSignal }

/** The input may be left out where every part of it may. */
export type CallArguments<Id extends OperationId> =
  Record<never, never> extends Input<Id>
    ? [input?: Input<Id>, options?: CallOptions]
    : [input: Input<Id>, options?: CallOptions]

type GroupOf<Id> = Id extends `${infer Group}.${string}` ? Group : never

/** `client.receipts.mint(input)` is `client.call('receipts.mint', input)`. */
export type Grouped = {
  [Group in GroupOf<OperationId>]: {
    [Id in OperationId as Id extends `${Group}.${infer Verb}` ? Verb : never]: (
      ...args: CallArguments<Id>
    ) => Promise<Reply<Id>>
  }
}
