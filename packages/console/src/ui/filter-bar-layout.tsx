import { ListFilter, X } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  type FilterField,
  type FilterToken,
  findFilterField,
  negateFieldFilter,
} from '../filters/filter-text.ts';
import { describeFilterValue } from '../filters/filter-value.ts';
import { KeyboardKey } from './keyboard-key.tsx';

/** The props of a `FilterBarLayout`. */
export interface FilterBarLayoutProps {
  readonly fields: readonly FilterField[];
  readonly tokens: readonly FilterToken[];
  readonly onAdd: (token: FilterToken) => void;
  readonly onRemove: (name: string) => void;
}

/**
 * Shows the filters and reserves space for the input, so that the height does not change when the code of the
 * input has loaded.
 */
export function FilterBarLayout({
  fields,
  tokens,
  onAdd,
  onRemove,
  children,
}: FilterBarLayoutProps & { readonly children?: ReactNode }) {
  return (
    <div className="flex min-h-control flex-wrap items-center gap-1.5 rounded-control border border-edge bg-surface px-2 py-px shadow-control focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-focus">
      <ListFilter size={16} strokeWidth={1.75} className="text-ink-2" aria-hidden="true" />
      {tokens.map((token) => (
        <Token
          key={token.name}
          token={token}
          fields={fields}
          onTurn={(value) => onAdd({ name: token.name, value })}
          onRemove={() => onRemove(token.name)}
        />
      ))}
      <div className="flex h-7 min-w-40 flex-1">{children}</div>
      <KeyboardKey className="max-md:hidden">/</KeyboardKey>
    </div>
  );
}

function Token({
  token,
  fields,
  onTurn,
  onRemove,
}: {
  readonly token: FilterToken;
  readonly fields: readonly FilterField[];
  readonly onTurn: (value: string) => void;
  readonly onRemove: () => void;
}) {
  const field = findFilterField(fields, token.name);
  const name = field && !field.keyed ? field.label : token.name;
  const { operator, value } = describeFilterValue(token.value);
  const turned = field?.excludes ? negateFieldFilter(field, token.value) : null;
  return (
    <span className="inline-flex h-6 max-w-full items-center overflow-hidden rounded-tag border border-line-strong bg-sunken text-label">
      <span className="border-r border-line-strong px-1.5 text-ink-2">{name}</span>
      {turned === null ? (
        <span className="border-r border-line-strong px-1.5 font-normal text-ink-3">{operator}</span>
      ) : (
        <button
          type="button"
          title="Invert filter"
          aria-label={`Invert filter ${name} ${operator} ${value}`}
          onClick={() => onTurn(turned)}
          className="h-6 border-r border-line-strong px-1.5 font-normal text-ink-2 -outline-offset-2 hover:bg-hover hover:text-ink"
        >
          {operator}
        </button>
      )}
      <span className="truncate px-1.5 text-ink">{value}</span>
      <button
        type="button"
        aria-label={`Remove filter ${name}`}
        onClick={onRemove}
        className="grid size-6 shrink-0 place-items-center border-l border-line-strong -outline-offset-2 hover:bg-hover"
      >
        <X size={12} />
      </button>
    </span>
  );
}
