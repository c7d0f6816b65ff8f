import { apiUrl } from '../../data/base.ts';
import type { FilterToken } from '../../filters/filter-text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/feedback.tsx';

/** An empty list says why: nothing was ever sent, or the filters leave nothing. */
export function NoRequests({
  tokens,
  onRemove,
  onWiden,
}: {
  readonly tokens: readonly FilterToken[];
  readonly onRemove: (name: string) => void;
  readonly onWiden: () => void;
}) {
  if (tokens.length > 0)
    return (
      <EmptyState
        title="No requests match"
        action={
          <>
            {tokens.map(({ name, value }) => (
              <Button key={name} onClick={() => onRemove(name)}>
                Remove {name} is {value}
              </Button>
            ))}
            <Button onClick={onWiden}>Widen to 7 days</Button>
          </>
        }
      >
        Nothing in this time has all of these filters.
      </EmptyState>
    );
  return (
    <>
      <EmptyState
        title="No requests in this time"
        action={<Button onClick={onWiden}>Widen to 7 days</Button>}
      >
        Each call through the gateway becomes a row here within a second.
      </EmptyState>
      <div className="mx-auto max-w-2xl px-4 pb-10">
        <CodeBlock snippets={[{ label: 'curl', code: firstRequest() }]} />
      </div>
    </>
  );
}

function firstRequest(): string {
  return [
    `curl -fsS ${apiUrl('gateway/v1/chat/completions').href} \\`,
    '  -H "Authorization: Bearer $FLOE_KEY" -H "Content-Type: application/json" \\',
    `  -d '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello"}]}'`,
  ].join('\n');
}
