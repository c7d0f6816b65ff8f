import { ChevronRight } from 'lucide-react';
import { capitalize } from '../../format/words.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { Notice } from '../../ui/feedback.tsx';
import { Badge } from '../../ui/status.tsx';
import {
  doRangesOverlap,
  findMatchedRanges,
  getCommandTraitLabel,
  type RelaySimulationResult,
  splitCommandAtRanges,
} from './decision-display.ts';
import { ruleText } from './rule-text.ts';

/**
 * Shows how the relay parses a shell command. The matched parts of the text are marked. A list of the simple
 * commands follows.
 */
export function ParsedCommand({
  text,
  parsed,
}: {
  readonly text: string;
  readonly parsed: RelaySimulationResult;
}) {
  return (
    <div className="grid min-w-0 gap-3">
      <MarkedText text={text} parsed={parsed} />
      {parsed.commands.length > 0 && (
        <ol aria-label={ruleText.command.list} className="grid gap-1.5">
          {parsed.commands.map((command, index) => (
            <SimpleCommand
              key={`${command.start} ${command.via.join(' ')}`}
              command={command}
              rules={rulesAt(parsed, index)}
            />
          ))}
        </ol>
      )}
      {parsed.unclear.length > 0 && <UnclearParts text={text} parsed={parsed} />}
    </div>
  );
}

function MarkedText({ text, parsed }: { readonly text: string; readonly parsed: RelaySimulationResult }) {
  const pieces = splitCommandAtRanges(text, findMatchedRanges(parsed), parsed.unclear);
  return (
    <p className="rounded-control border border-line bg-sunken px-3 py-2 font-mono text-code break-words whitespace-pre-wrap">
      {pieces.map((piece, index) =>
        piece.mark === null ? (
          piece.text
        ) : (
          <mark
            // biome-ignore lint/suspicious/noArrayIndexKey: segments keep the order of the text.
            key={index}
            className={joinClassNames(
              'rounded-tag bg-transparent underline underline-offset-4',
              piece.mark === 'hit'
                ? 'text-blocked-ink decoration-2'
                : 'text-unknown-ink decoration-dotted decoration-2',
            )}
          >
            {piece.text}
          </mark>
        ),
      )}
    </p>
  );
}

type Command = RelaySimulationResult['commands'][number];

/** Returns the rules that match a simple command. */
function rulesAt(
  { matches, commands }: RelaySimulationResult,
  index: number,
): RelaySimulationResult['matches'] {
  const command = commands[index];
  return matches.filter((hit) =>
    hit.command === null
      ? hit.range !== null && command !== undefined && doRangesOverlap(hit.range, command)
      : hit.command === index,
  );
}

/**
 * Shows a simple command with its wrappers, as in `sudo → env → git push -f`, and the rules that match it.
 */
function SimpleCommand({
  command,
  rules,
}: {
  readonly command: Command;
  readonly rules: RelaySimulationResult['matches'];
}) {
  const { name, args, via, does, redirects } = command;
  return (
    <li
      className={joinClassNames(
        'grid gap-1 rounded-control border px-3 py-1.5',
        rules.length > 0 ? 'border-blocked-line bg-blocked-tint' : 'border-line bg-surface',
      )}
    >
      <span className="flex min-w-0 flex-wrap items-center gap-x-1 gap-y-0.5 font-mono text-code">
        {via.map((outer, depth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same wrapper may occur twice, in this order.
          <span key={depth} className="flex items-center gap-1 text-ink-2">
            {outer}
            <ChevronRight size={12} role="img" aria-label={ruleText.command.runs} />
          </span>
        ))}
        <span className="font-semibold break-all">{name ?? <UnknownValue />}</span>
        {args.map((arg, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: arguments are identified by their position.
          <span key={place} className="break-all">
            {arg ?? <UnknownValue />}
          </span>
        ))}
        {redirects.map(({ operator, target }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: redirections are identified by their position.
          <span key={place} className="break-all text-ink-2">
            {operator} {target ?? <UnknownValue />}
          </span>
        ))}
      </span>
      {(does.length > 0 || rules.length > 0) && (
        <span className="flex flex-wrap gap-1">
          {rules.map(({ rule, decision }) => (
            <Badge key={rule} name={ruleText.decisions[decision]}>
              {rule}
            </Badge>
          ))}
          {does.map((trait) => (
            <Badge key={trait}>{getCommandTraitLabel(trait)}</Badge>
          ))}
        </span>
      )}
    </li>
  );
}

function UnknownValue() {
  return <span className="font-normal text-unknown-ink italic">{ruleText.command.unknown}</span>;
}

function UnclearParts({ text, parsed }: { readonly text: string; readonly parsed: RelaySimulationResult }) {
  return (
    <Notice state="unknown">
      <p className="font-medium">{ruleText.command.unclear}</p>
      <ul className="my-1 grid gap-0.5">
        {parsed.unclear.map(({ reason, start, end }) => (
          <li key={`${start} ${reason}`} className="break-words">
            {capitalize(reason)}
            {end > start && <code className="ml-1.5 font-mono text-code">{text.slice(start, end)}</code>}
          </li>
        ))}
      </ul>
      <p className="text-ink-2">{ruleText.command.unclearEffect}</p>
    </Notice>
  );
}
