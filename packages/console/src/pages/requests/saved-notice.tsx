import { exactMoney } from '../../format/amounts.ts';
import { StateIcon } from '../../ui/state.tsx';
import type { RequestDetail } from './request-data.ts';

/** What an answer from the cache would have cost. */
export function SavedNotice({ request: { state, saved_nano_usd } }: { readonly request: RequestDetail }) {
  if (state !== 'cached') return null;
  return (
    <p className="flex items-center gap-2 rounded-card border border-cached-line bg-cached-tint px-4 py-3 text-ui">
      <StateIcon state="cached" />
      {saved_nano_usd === null
        ? 'Answered from the cache. Nobody knows what it would have cost: its model has no price.'
        : `Answered from the cache: $0 instead of ${exactMoney(saved_nano_usd)}.`}
    </p>
  );
}
