import type { Exchange } from '../exchange-record.ts';
import { ALL_LINES } from './batch-results.ts';
import type { OpaqueContext } from './opaque-context.ts';
import type { OpaquePlanInput } from './opaque-plan.ts';
import type { OpaqueRequest } from './opaque-request.ts';
import { createsOther, recordResourceOwners } from './owned-resources.ts';
import { findRequiredPostProcessing } from './post-process-response.ts';

/** The state of a request that Floe forwards without parsing. */
export interface OpaqueProgress extends OpaquePlanInput {
  /** Resolves to the error if the owner of a stored response could not be recorded. Null before its id is known. */
  recorded: Promise<Error | null> | null;
}

/** Creates the state of a request before it is sent. Records the owner of what a stream creates. */
export function createProgress(x: Exchange, context: OpaqueContext, opaque: OpaqueRequest): OpaqueProgress {
  const { resource, path } = context;
  const work = findRequiredPostProcessing(x, resource, opaque);
  const progress: OpaqueProgress = {
    context,
    request: opaque,
    query: path.query,
    platformKey: x.caller.presentedKey,
    answerState: {
      status: 0,
      isComplete: false,
      hasError: false,
      resultLines: ALL_LINES,
      countsUsage: x.client.method === 'POST' || resource.isBatchResults,
      onStored: null,
    },
    postProcessing: work,
    bufferedAnswer: null,
    recorded: null,
  };
  const { collection } = resource;
  if (collection !== null && (work === 'create' || createsOther(resource)))
    progress.answerState.onStored = (id) => {
      const { target, gateway, caller } = x;
      if (target)
        progress.recorded = settle(
          recordResourceOwners(gateway.resourceOwners, target, caller.key, [{ id, kind: collection }]),
        );
    };
  return progress;
}

/** Handles the error at once, because nothing awaits the record before the end of the stream. */
function settle(work: Promise<void>): Promise<Error | null> {
  return work.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
}

/** Logs the error of the record in an exchange that fails with another error. */
export function logUnrecordedOwner({ id, gateway: { log } }: Exchange, { recorded }: OpaqueProgress): void {
  void recorded?.then((error) => {
    if (error !== null)
      log.error({ err: error, request_id: id }, 'owner of a stored response could not be recorded');
  });
}
