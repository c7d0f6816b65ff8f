import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import type { Actor } from '../platform/actor.ts';
import { noteOrigin } from '../store/audit-context.ts';
import type { Reader, Writer } from '../store/ports.ts';
import { type Change, type FurtherChange, record } from './audited-change.ts';
import { mustMatch, tagOf } from './entity-tags.ts';
import { answeredBefore, creationOf, rememberAnswer } from './repetition.ts';
import {
  complete,
  contextOf,
  type Description,
  type Input,
  type NoBody,
  type NoFields,
  type RawInput,
  read,
  type Schemas,
  type Verb,
  type Writing,
} from './verb-definition.ts';
import type { Topic, VerbContext, VerbHost } from './verb-host.ts';

export type { Change, FurtherChange } from './audited-change.ts';
export { type Changed, type Performed, type RawInput, scopesOf, type Verb } from './verb-definition.ts';
export type { Topic, VerbContext, VerbHost } from './verb-host.ts';

/** Defines a verb that changes nothing; its `run` reads through `context.reader`. */
export function readVerb<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = NoBody,
>(
  definition: Description &
    Schemas<Params, Query, Body, Answer> & {
      readonly method: 'GET' | 'POST';
      run(
        context: VerbContext & { readonly reader: Reader },
        input: Input<Params, Query, Body>,
      ): Promise<z.input<Answer>>;
    },
): Verb {
  const schemas = complete(definition);
  const show: Verb['show'] = (reader, host, actor, raw) =>
    definition.run({ ...contextOf(host, actor), reader }, read(schemas, raw));
  return {
    ...definition,
    ...schemas,
    body: definition.body ?? null,
    status: 200,
    show,
    change: null,
    async perform(host, actor, raw, of) {
      const answer = await show(host.database.read, host, actor, raw);
      return { answer, tag: of ? tagOf(answer, of.live ?? []) : null };
    },
  };
}

interface WriteDefinition<
  Answer extends z.ZodType,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Plan,
> extends Description,
    Schemas<Params, Query, Body, Answer> {
  /** `GET` for what is only looked at, and must stand in the audit log all the same. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly status: 200 | 201 | 204;
  /** Null when the running snapshot holds nothing of it. */
  readonly changes: Topic | null;
  /** Waited for before the transaction, for what must not be waited for inside one. */
  before?(): Promise<unknown>;
  /** Works out before the transaction what `run` needs, where that takes long. */
  plan?(context: VerbContext, input: Input<Params, Query, Body>): Promise<Plan>;
  /** Waited for once the change is in force; gives the answer its last fields. */
  after?(answer: z.input<Answer>): Promise<z.input<Answer>>;
  run(
    context: Writing,
    input: Input<Params, Query, Body>,
    plan: Plan,
  ): Promise<{
    readonly answer: z.input<Answer>;
    readonly audit: Change | 'unchanged';
    readonly further?: readonly FurtherChange[];
  }>;
}

/**
 * Defines a verb that changes something. Its `run` works inside one write transaction and must say what it
 * changed: the audit row commits with the change. The caller hears of success only after the running
 * snapshot was renewed, so what an answered request revoked is refused from the next one on. When the
 * renewal fails the change stands and the caller gets the error.
 */
export function writeVerb<
  Answer extends z.ZodType,
  Params extends z.ZodObject = NoFields,
  Query extends z.ZodObject = NoFields,
  Body extends z.ZodType = NoBody,
  Plan = undefined,
>(definition: WriteDefinition<Answer, Params, Query, Body, Plan>): Verb {
  const schemas = complete(definition);
  return {
    ...definition,
    ...schemas,
    body: definition.body ?? null,
    show: null,
    prepare: definition.before,
    async change(context, raw) {
      const input = read(schemas, raw);
      const plan = plannedBy(definition, await definition.plan?.(context, input));
      const { further = [], ...done } = await definition.run(context, input, plan);
      return { ...done, further };
    },
    async perform(host, actor, raw, of) {
      const input = read(schemas, raw);
      await definition.before?.();
      const plan = plannedBy(definition, await definition.plan?.(contextOf(host, actor), input));
      const committed = await commit(definition, { host, actor, raw, of }, (context) =>
        definition.run(context, input, plan),
      );
      // Also after 'unchanged': the try that made the change may have failed right here.
      if (definition.changes !== null) await host.changed(definition.changes, actor.orgId);
      const { isRepeated, answer: first } = committed;
      const answer = definition.after && !isRepeated ? await definition.after(first) : first;
      return { answer, tag: of?.answer === definition.answer ? tagOf(answer, of.live ?? []) : null };
    },
  };
}

/** Without a `plan`, its type parameter stays at the default `undefined`, which is what was planned then. */
function plannedBy<Plan>(_: { plan?(...given: never[]): Promise<Plan> }, planned: Plan | undefined): Plan {
  return planned as Plan;
}

interface Asked {
  readonly host: VerbHost;
  readonly actor: Actor;
  readonly raw: RawInput;
  readonly of: Verb | undefined;
}

/** Runs a write in its transaction, with its audit rows; a creation that is asked for again is answered again. */
async function commit<Answer>(
  definition: Pick<Description, 'name' | 'idempotent'> &
    Pick<Verb, 'method' | 'status'> & { readonly changes: Topic | null },
  asked: Asked,
  run: (context: Writing) => Promise<{
    readonly answer: Answer;
    readonly audit: Change | 'unchanged';
    readonly further?: readonly FurtherChange[];
  }>,
): Promise<{ readonly answer: Answer; readonly isRepeated: boolean }> {
  const { host, actor, raw } = asked;
  const creation = creationOf(definition, actor, raw);
  return host.database.transaction(async (writer) => {
    noteOrigin(writer, { address: actor.address ?? null, sessionId: actor.member?.sessionId ?? null });
    const now = host.clock.now();
    const earlier = creation && (await answeredBefore<Answer>(writer, creation, host.secretsKey, now));
    if (earlier) return { answer: earlier.answer, isRepeated: true };
    if (definition.method !== 'POST') await holdAgainst(writer, asked);
    const done = await run({ ...contextOf(host, actor), reader: writer, writer });
    if (done.audit !== 'unchanged')
      await record(writer, host, actor, { ...done.audit, action: definition.name });
    for (const change of done.further ?? []) await record(writer, host, actor, change);
    if (definition.changes !== null && done.audit !== 'unchanged')
      await host.database.signals.announce(writer);
    if (creation) await rememberAnswer(writer, { ...creation, answer: done.answer }, host.secretsKey, now);
    return { answer: done.answer, isRepeated: false };
  });
}

/** @throws Fault `precondition_failed` */
async function holdAgainst(writer: Writer, { host, actor, raw, of }: Asked): Promise<void> {
  const { params, preconditions } = raw;
  if (!of?.show || (!preconditions?.ifMatch && !preconditions?.ifNoneMatch)) return;
  const shown = { params, query: {}, body: undefined, idempotencyKey: undefined };
  let tag: string | null;
  try {
    tag = tagOf(await of.show(writer, host, actor, shown), of.live ?? []);
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 404) throw error;
    tag = null;
  }
  mustMatch(tag, preconditions);
}
