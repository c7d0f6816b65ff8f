import { isDeepStrictEqual } from 'node:util';
import type { configChanges } from '@floe/contract/api/config';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import { requireAccess } from '../access.ts';
import { applyKey } from '../keys/apply-key.ts';
import type { Change, Changed, FurtherChange } from '../verb.ts';
import type { Writing } from '../verb-definition.ts';
import type { ConfigDocument } from './config-document.ts';
import type { ConfigHost } from './config-host.ts';
import type { Step } from './document-kind.ts';
import { kindNamed } from './document-kinds.ts';
import { removalsOf, stepsOf } from './document-steps.ts';
import type { ResourceName } from './file-diff.ts';
import { NotApplied } from './not-applied.ts';

type Changes = z.input<typeof configChanges>;

export interface Applied {
  readonly answer: Changes;
  readonly further: readonly FurtherChange[];
  /** What the document names and floe.yaml has, with why it was left alone. */
  readonly inFile: readonly (ResourceName & { readonly why: string })[];
  /** All that the document says, as it was before anything was performed. */
  readonly steps: readonly Step[];
}

/** Fields that say how something is or who wrote it, not what it is meant to be. */
const NOT_MEANT: ReadonlySet<string> = new Set([
  'created_at',
  'updated_at',
  'updated_by',
  'state',
  'sources',
  'origin',
  'problem',
  'speaks',
]);

/**
 * Performs the verbs of everything in a document inside the caller's transaction. What stands in floe.yaml is left
 * alone and named.
 *
 * @param reason for the audit log, for the verbs that take one
 * @throws Fault of the first verb that refuses, with the resource before its `param`
 */
export async function performSteps(
  document: ConfigDocument,
  { prune, reason }: { readonly prune: boolean; readonly reason?: string | undefined },
  host: ConfigHost,
  context: Writing,
): Promise<Applied> {
  const { writer, orgId, clock } = context;
  const reading = { reader: writer, orgId, host, nowMs: clock.now() };
  const steps = await stepsOf(document, reading);
  const removals = prune ? await removalsOf(document, steps, reading) : [];
  const changes: Changes['changes'] = [];
  const ignored = [...document.ignored];
  const inFile: Applied['inFile'][number][] = [];
  const further: FurtherChange[] = [];
  let unchanged = 0;
  // Routes before the providers they name; what is new is there before something names it.
  const late = removals.filter(({ kind }) => kindNamed(kind).isNamed);
  const early = removals.filter((step) => !late.includes(step));
  for (const step of [...early, ...steps, ...late]) {
    const done = await perform(step, host, context, reason);
    if (done instanceof NotApplied && done.isInFile)
      inFile.push({ kind: step.kind, id: step.id, why: `${step.kind}/${step.id}: ${done.message}` });
    else if (done instanceof NotApplied) ignored.push(`${step.kind}/${step.id}: ${done.message}`);
    else if (done.audit === 'unchanged') unchanged += 1;
    else {
      changes.push(shownChange(step, done.audit));
      further.push({ ...done.audit, action: actionOf(step.verb) }, ...done.further);
    }
  }
  return { answer: { changes, unchanged, ignored }, further, inFile, steps };
}

function actionOf(verb: string): `${string}.${string}` {
  const [subject = '', name = ''] = verb.split('.');
  return `${subject}.${name}`;
}

async function perform(
  { kind, id, verb, params, body }: Step,
  host: Pick<ConfigHost, 'verbs' | 'pepper'>,
  context: Writing,
  reason: string | undefined,
): Promise<Changed | NotApplied> {
  try {
    const change = changeOf(verb, host, context);
    const why = reason !== undefined && kindNamed(kind).takesReason ? { reason } : {};
    const [query, said] = body === undefined ? [why, body] : [{}, { ...body, ...why }];
    return await change(context, { params, query, body: said, idempotencyKey: undefined });
  } catch (error) {
    if (error instanceof NotApplied) return error;
    if (!(error instanceof Fault)) throw error;
    if (error.code === 'managed_by_file') return new NotApplied(error.message, true);
    const { param } = error.detail;
    throw new Fault(error.code, `${kind}/${id}: ${error.message}`, {
      ...error.detail,
      ...(param !== undefined && { param: `${kind}/${id}.${param}` }),
    });
  }
}

/** What a step does; whoever asks must be allowed to do it by itself. @throws Fault as `requireAccess` */
function changeOf(name: string, { verbs, pepper }: Pick<ConfigHost, 'verbs' | 'pepper'>, context: Writing) {
  if (name === 'keys.apply') return applyKey(pepper);
  const verb = verbs().find((one) => one.name === name);
  if (!verb?.change) throw new Error(`there is no verb ${name}`);
  requireAccess(verb, context.actor, context.clock.now());
  return verb.change;
}

export function shownChange(
  { kind, id }: ResourceName,
  change: Pick<Change, 'before' | 'after'>,
): Changes['changes'][number] {
  const { before, after } = change;
  const action = before === null ? 'created' : after === null ? 'removed' : 'changed';
  return {
    kind,
    id,
    action,
    fields: fieldsOf(change),
    in_file: false,
    before: before && JSON.parse(JSON.stringify(before)),
    after: after && JSON.parse(JSON.stringify(after)),
  };
}

/** Fields in which two versions differ; of something new or gone, all of them. None where a secret alone is another. */
function fieldsOf({ before, after }: Pick<Change, 'before' | 'after'>): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].filter(
    (name) => !NOT_MEANT.has(name) && !isDeepStrictEqual(meant(before, name), meant(after, name)),
  );
}

function meant(version: JsonObject | null, name: string): unknown {
  const value = version?.[name];
  return Array.isArray(value) ? value.map((entry) => (isObject(entry) ? withoutTimes(entry) : entry)) : value;
}

function withoutTimes(entry: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(entry).filter(([name]) => !NOT_MEANT.has(name) || name === 'origin'),
  );
}
