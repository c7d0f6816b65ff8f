import { Fault } from '@floe/contract/faults';
import { type RequiredFeature, unsupportedFeatureFault } from '../request.ts';
import { RequestDraft } from '../request-draft.ts';

/** What an IDE does without, references to items kept elsewhere included: the request means the same to its user. */
const OPTIONAL_FEATURES: ReadonlySet<RequiredFeature> = new Set([
  'unknown-content',
  'hosted-tool',
  'logprobs',
  'audio-out',
  'stored-state',
]);
/** The list of what was left out travels in a header. */
const MAX_DROPPED = 40;

/**
 * What reading an IDE's body gathers. What no provider could take is left out and reported where the request
 * keeps its meaning; where it does not, it is a 400.
 */
export class IdeRequestDraft extends RequestDraft {
  override requireFeature(need: RequiredFeature, param: string): void {
    if (OPTIONAL_FEATURES.has(need)) this.reportDropped(param);
    else if (need === 'choices' || need === 'background') throw unsupportedFeatureFault({ need, param });
    else if (need === 'media-id')
      throw new Fault(
        'unsupported_parameter',
        `\`${param}\` refers to a file by id, which only the provider that stores the file can read. Send the file content instead.`,
        { param },
      );
    else super.requireFeature(need, param);
  }

  /** IDEs cut the beginning off long conversations: a result without its call is of no use to anybody. */
  override handleOrphanResult(_id: string): void {
    this.reportDropped('tool_result.orphan');
  }

  override get dropped(): readonly string[] {
    return super.dropped.slice(0, MAX_DROPPED);
  }
}
