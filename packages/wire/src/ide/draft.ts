import { Fault } from '@floe/contract/faults';
import { AskDraft } from '../ask-draft.ts';
import { type Need, refusal } from '../request.ts';

/** What an IDE does without, references to items kept elsewhere included: the request means the same to its user. */
const DISPENSABLE: ReadonlySet<Need> = new Set([
  'unknown-content',
  'hosted-tool',
  'logprobs',
  'audio-out',
  'stored-state',
]);
/** The list of what was left out travels in a header. */
const MOST_DROPPED = 40;

/**
 * What reading an IDE's body gathers. What no provider could take is left out and reported where the request
 * keeps its meaning; where it does not, it is a 400.
 */
export class IdeDraft extends AskDraft {
  override need(need: Need, param: string): void {
    if (DISPENSABLE.has(need)) this.drop(param);
    else if (need === 'choices' || need === 'background') throw refusal({ need, param });
    else if (need === 'media-id')
      throw new Fault(
        'unsupported_parameter',
        `\`${param}\` names a file by its id, which only the provider that keeps it can read. Send the content itself.`,
        { param },
      );
    else super.need(need, param);
  }

  /** IDEs cut the beginning off long conversations: a result without its call is of no use to anybody. */
  override orphan(_id: string): void {
    this.drop('tool_result.orphan');
  }

  override get dropped(): readonly string[] {
    return super.dropped.slice(0, MOST_DROPPED);
  }
}
