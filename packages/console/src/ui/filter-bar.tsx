import { ListFilter, X } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import {
  type FilterField,
  type FilterToken,
  fieldOf,
  readPasted,
  readTyped,
} from '../filters/filter-text.ts';
import { cx } from './class-names.ts';
import { Key } from './key.tsx';
import { POPUP } from './menu.tsx';

export interface FilterBarProps {
  readonly fields: readonly FilterField[];
  readonly tokens: readonly FilterToken[];
  readonly onAdd: (token: FilterToken) => void;
  readonly onRemove: (name: string) => void;
  readonly placeholder: string;
  /** The field that a text without one is for: `backup` and Enter. */
  readonly free?: string;
}

/** Filters as tokens; typing offers fields, then their values. `/` comes here. */
export function FilterBar(props: FilterBarProps) {
  const { fields, tokens, onAdd, onRemove, placeholder } = props;
  const { text, setText, at, typed, offers, input, list, take, press, setFocused } = useTyping(props);
  return (
    <div className="relative">
      <div className="flex min-h-control flex-wrap items-center gap-1.5 rounded-control border border-edge bg-surface px-2 py-0.5 shadow-control focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-focus">
        <ListFilter size={16} strokeWidth={1.75} className="text-ink-2" aria-hidden="true" />
        {tokens.map((token) => (
          <Token key={token.name} token={token} fields={fields} onRemove={() => onRemove(token.name)} />
        ))}
        <input
          ref={input}
          data-filter
          role="combobox"
          aria-label="Filter"
          aria-expanded={offers.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          {...(offers[at] === undefined ? {} : { 'aria-activedescendant': `${list}-${at}` })}
          value={text}
          placeholder={placeholder}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={press}
          onPaste={(event) => {
            const pasted = readPasted(event.clipboardData.getData('text'), fields);
            if (pasted.length === 0) return;
            event.preventDefault();
            for (const token of pasted) onAdd(token);
          }}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          className="h-7 min-w-40 flex-1 bg-transparent text-ui outline-none"
        />
        <Key className="max-md:hidden">/</Key>
      </div>
      {typed.kind === 'unknown_field' && (
        <p role="alert" className="mt-1 text-small text-failing-ink">
          There is no field {typed.name}.{typed.nearest && ` Did you mean ${typed.nearest}?`}
        </p>
      )}
      <Offers id={list} offers={offers} at={at} onTake={take} />
    </div>
  );
}

/** What is typed, what is offered for it, and what keys do. */
function useTyping({ fields, tokens, onAdd, onRemove, free }: FilterBarProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [focused, setFocused] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const typed = readTyped(text, fields);
  const offers = focused ? offersFor(text, fields) : [];

  const commit = (token: FilterToken) => {
    onAdd(token);
    setText('');
    setAt(0);
  };
  const take = (offer: string) => {
    const next = readTyped(offer, fields);
    if (next.kind === 'token') commit(next.token);
    else setText(offer);
    setAt(0);
    input.current?.focus();
  };
  function press(event: KeyboardEvent) {
    const offer = offers[at];
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, offers.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter' && typed.kind === 'token' && typed.token.value !== '') commit(typed.token);
    else if ((event.key === 'Enter' || event.key === 'Tab') && offer !== undefined && text !== '')
      take(offer);
    else if (event.key === 'Enter' && free !== undefined && typed.kind === 'text' && text.trim() !== '')
      commit({ name: free, value: text.trim() });
    else if (event.key === 'Backspace' && text === '' && tokens.length > 0)
      onRemove(tokens.at(-1)?.name ?? '');
    else if (event.key === 'Escape') input.current?.blur();
    else return;
    event.preventDefault();
  }

  return { text, setText, at, typed, offers, input, list, take, press, setFocused };
}

function Token({
  token,
  fields,
  onRemove,
}: {
  readonly token: FilterToken;
  readonly fields: readonly FilterField[];
  readonly onRemove: () => void;
}) {
  const field = fieldOf(fields, token.name);
  const name = field && !field.keyed ? field.label : token.name;
  return (
    <span className="inline-flex h-6 max-w-full items-center overflow-hidden rounded-tag border border-line-strong bg-sunken text-label">
      <span className="border-r border-line-strong px-1.5 text-ink-2">{name}</span>
      <span className="border-r border-line-strong px-1.5 font-normal text-ink-3">is</span>
      <span className="truncate px-1.5 text-ink">{token.value}</span>
      <button
        type="button"
        aria-label={`Remove the filter ${name}`}
        onClick={onRemove}
        className="grid size-6 shrink-0 place-items-center border-l border-line-strong -outline-offset-2 hover:bg-hover"
      >
        <X size={12} />
      </button>
    </span>
  );
}

function Offers({
  id,
  offers,
  at,
  onTake,
}: {
  readonly id: string;
  readonly offers: readonly string[];
  readonly at: number;
  readonly onTake: (offer: string) => void;
}) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      className={cx(POPUP, 'absolute top-full left-0 mt-1 min-w-64', offers.length === 0 && 'hidden')}
    >
      {offers.map((offer, index) => (
        <div
          key={offer}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onPointerDown={(event) => {
            // Before the input loses the focus, which would take the list away.
            event.preventDefault();
            onTake(offer);
          }}
          className="flex min-h-8 items-center rounded-tag px-2 text-ui hover:bg-hover aria-selected:bg-hover"
        >
          {offer}
        </div>
      ))}
    </div>
  );
}

/** Fields while a field is typed, then the values of that field. */
function offersFor(text: string, fields: readonly FilterField[]): string[] {
  const [name = '', value] = text.split(/[:=]/, 2);
  if (value === undefined)
    return fields
      .filter((field) => field.name.startsWith(name.trim()) || field.label.startsWith(name.trim()))
      .map((field) => (field.keyed ? `${field.name}.` : `${field.name}:`))
      .slice(0, 12);
  const field = fieldOf(fields, name.trim());
  return (field?.values ?? [])
    .filter((known) => known.startsWith(value.trim()))
    .map((known) => `${name.trim()}:${known}`)
    .slice(0, 12);
}
