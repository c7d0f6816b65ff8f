import { Fault } from '@floe/contract/faults';
import { createUnsupportedFeatureFault, type RequiredFeature } from '../request.ts';
import { RequestReadContext } from '../request-read-context.ts';

/**
 * Features that an IDE does not need, including references to stored items. The request keeps its meaning
 * without them.
 */
const OPTIONAL_FEATURES: ReadonlySet<RequiredFeature> = new Set([
  'unknown-content',
  'hosted-tool',
  'logprobs',
  'audio-out',
  'stored-state',
]);
/** The list of dropped fields is sent in a header. */
const MAX_DROPPED = 40;

/**
 * Collects what the reader of an IDE request finds. A field that no provider supports is dropped and
 * reported if the request keeps its meaning without the field. Otherwise, the request is rejected with
 * 400.
 */
export class IdeRequestReadContext extends RequestReadContext {
  override requireFeature(need: RequiredFeature, param: string): void {
    if (OPTIONAL_FEATURES.has(need)) this.reportDropped(param);
    else if (need === 'choices' || need === 'background')
      throw createUnsupportedFeatureFault({ need, param });
    else if (need === 'media-id')
      throw new Fault(
        'unsupported_parameter',
        `\`${param}\` refers to a file by id, which only the provider that stores the file can read. Send the file content instead.`,
        { param },
      );
    else super.requireFeature(need, param);
  }

  /** IDEs truncate the start of long conversations. A result without its call is useless. */
  override handleOrphanResult(_id: string): void {
    this.reportDropped('tool_result.orphan');
  }

  override get dropped(): readonly string[] {
    return super.dropped.slice(0, MAX_DROPPED);
  }
}
