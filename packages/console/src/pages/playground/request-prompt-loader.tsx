import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { ApiError } from '../../data/api-error.ts';
import { shortenId } from '../../format/amounts.ts';
import { IconButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback.tsx';
import { buildRequestBodiesQuery } from '../requests/request-bodies.tsx';
import { type LoadedPrompt, parseRequestBodyAsPrompt } from './parse-request-body.ts';
import { playgroundText } from './text.ts';

/** Lists what was not loaded from a stored body. */
export function NotLoadedNotice({
  parts,
  onClose,
}: {
  readonly parts: readonly string[];
  readonly onClose: () => void;
}) {
  if (parts.length === 0) return null;
  return (
    <Notice>
      <span className="flex flex-wrap items-center gap-x-2">
        <span>{playgroundText.load.notLoaded(parts)}</span>
        <IconButton icon={X} label={playgroundText.load.dismiss} onClick={onClose} className="size-6" />
      </span>
    </Notice>
  );
}

/** Loads the stored body of a request into the prompt, or shows why it cannot be loaded. */
export function RequestPromptLoader({
  id,
  onLoaded,
  onClose,
}: {
  readonly id: string;
  readonly onLoaded: (loaded: LoadedPrompt) => void;
  readonly onClose: () => void;
}) {
  const { data, error } = useQuery(buildRequestBodiesQuery(id));
  const found = data?.request && !data.request.truncated ? parseRequestBodyAsPrompt(data.request.text) : null;
  const loaded = useEffectEvent(() => found && onLoaded(found));
  useEffect(() => {
    if (data) loaded();
  }, [data]);
  const isStored = !(error instanceof ApiError && error.status === 404);
  if (!data && !error) return null;
  return (
    <Notice state="unknown">
      <span className="flex flex-wrap items-center gap-x-2">
        <span>
          {error && isStored
            ? error.message
            : error
              ? playgroundText.load.noBody
              : playgroundText.load.unsupported}{' '}
          <OrgLink to={`/requests/${id}`}>{shortenId(id)}</OrgLink>
        </span>
        <IconButton icon={X} label={playgroundText.load.dismiss} onClick={onClose} className="size-6" />
      </span>
    </Notice>
  );
}
