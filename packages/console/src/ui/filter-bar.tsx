import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import {
  type FilterField,
  type FilterToken,
  findFilterField,
  parsePastedFilters,
  parseTypedFilter,
} from '../filters/filter-text.ts';
import { formatFilterValue } from '../filters/filter-value.ts';
import { formatCount } from '../format/amounts.ts';
import { joinClassNames } from './class-names.ts';
import { FilterBarLayout, type FilterBarLayoutProps } from './filter-bar-layout.tsx';
import { OPTION_CLASS, POPUP_CLASS } from './menu.tsx';
import { OptionList } from './option-list.tsx';

/** The props of a `FilterBar`. */
export interface FilterBarProps extends FilterBarLayoutProps {
  readonly placeholder: string;
  /**
   * Returns the query for the values of a field that begin with the typed text, or null if values of this
   * field are not counted.
   */
  readonly values?: (field: string, prefix: string) => FilterValuesQuery | null;
  /** The field to filter when the typed text names none, such as `backup` and Enter. */
  readonly free?: string;
  /** Handles text that is not a filter, such as a row ID. Returns whether it handled the text. */
  readonly onText?: (text: string) => boolean;
}

/** A value of a field, and the number of rows with this value. */
export interface FilterValueCount {
  readonly value: string;
  readonly rows: number;
}

/** The query for the suggested values of a field. */
export interface FilterValuesQuery {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<readonly FilterValueCount[]>;
}

const NO_VALUES: FilterValuesQuery = { queryKey: ['values', 'none'], queryFn: () => Promise.resolve([]) };

/**
 * Shows the filters and an input that adds a filter. While the user types, the input suggests fields and then
 * their values. The shortcut `/` moves the focus to the input.
 */
export function FilterBar(props: FilterBarProps) {
  const { fields, tokens, onAdd, onRemove, placeholder } = props;
  const { text, type, at, walked, typed, offers, input, list, take, press, setFocused } = useTyping(props);
  return (
    <div className="relative">
      <FilterBarLayout fields={fields} tokens={tokens} onAdd={onAdd} onRemove={onRemove}>
        <input
          ref={input}
          data-filter
          role="combobox"
          aria-label="Filter"
          aria-expanded={offers.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          {...(!walked || offers[at] === undefined ? {} : { 'aria-activedescendant': `${list}-${at}` })}
          value={text}
          placeholder={placeholder}
          onChange={({ target }) => type(target.value)}
          onKeyDown={press}
          onPaste={(event) => {
            const pasted = parsePastedFilters(event.clipboardData.getData('text'), fields);
            if (pasted.length === 0) return;
            event.preventDefault();
            for (const token of pasted) onAdd(token);
          }}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          className="h-7 w-full min-w-0 bg-transparent text-ui outline-none"
        />
      </FilterBarLayout>
      {typed.kind === 'unknown_field' && (
        <p role="alert" className="mt-1 text-small text-failing-ink">
          Unknown field: {typed.name}.{typed.nearest && ` Did you mean ${typed.nearest}?`}
        </p>
      )}
      {typed.kind === 'no_exclusion' && (
        <p role="alert" className="mt-1 text-small text-failing-ink">
          These values cannot be excluded.
          {typed.field.excludes === 'bounds' && ` Use a bound such as ${typed.field.name}:>=100.`}
        </p>
      )}
      <Offers id={list} offers={offers} at={walked ? at : -1} onTake={take} />
    </div>
  );
}

/** Manages the typed text, the suggestions and the keys. */
function useTyping({ fields, tokens, onAdd, onRemove, values, free, onText }: FilterBarProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  // Enter selects a suggestion only if the user moved to it. Otherwise, Enter uses the typed text.
  const [walked, setWalked] = useState(false);
  const [focused, setFocused] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const typed = parseTypedFilter(text, fields);
  const [field, prefix] = partsOf(text, fields);
  const wanted = focused && field ? (values?.(field.name, prefix) ?? null) : null;
  const { data: found } = useQuery({
    ...(wanted ?? NO_VALUES),
    enabled: wanted !== null,
    staleTime: 30_000,
    placeholderData: (before) => before,
  });
  const offers = focused ? offersFor(text, fields, wanted ? (found ?? []) : []) : [];

  const commit = (token: FilterToken) => {
    onAdd(token);
    type('');
  };
  const type = (next: string) => {
    setText(next);
    setAt(0);
    setWalked(false);
  };
  const take = (offer: string) => {
    const next = parseTypedFilter(offer, fields);
    if (next.kind === 'token') commit(next.token);
    else type(offer);
    input.current?.focus();
  };
  function press(event: KeyboardEvent) {
    // The key belongs to the input method, for example Enter that accepts a Japanese word.
    if (event.nativeEvent.isComposing) return;
    const offer = offers[at]?.text;
    const walk = (to: number) => {
      setAt(to);
      setWalked(true);
    };
    if (event.key === 'ArrowDown') walk(walked ? Math.min(at + 1, offers.length - 1) : 0);
    else if (event.key === 'ArrowUp') walk(Math.max(at - 1, 0));
    else if (event.key === 'Enter' && walked && offer !== undefined) take(offer);
    else if (event.key === 'Enter' && typed.kind === 'token' && typed.token.value !== '') commit(typed.token);
    else if ((event.key === 'Enter' || event.key === 'Tab') && offer !== undefined && text !== '')
      take(offer);
    else if (event.key === 'Enter' && free !== undefined && typed.kind === 'text' && text.trim() !== '')
      commit({ name: free, value: text.trim() });
    else if (event.key === 'Enter' && typed.kind === 'text' && onText?.(text.trim())) type('');
    else if (event.key === 'Backspace' && text === '' && tokens.length > 0)
      onRemove(tokens.at(-1)?.name ?? '');
    else if (event.key === 'Escape') input.current?.blur();
    else return;
    event.preventDefault();
  }

  return { text, type, at, walked, typed, offers, input, list, take, press, setFocused };
}

function Offers({
  id,
  offers,
  at,
  onTake,
}: {
  readonly id: string;
  readonly offers: readonly Offer[];
  readonly at: number;
  readonly onTake: (offer: string) => void;
}) {
  return (
    <OptionList
      id={id}
      label="Suggestions"
      options={offers}
      at={at}
      keyOf={({ text: offer }) => offer}
      onTake={({ text: offer }) => onTake(offer)}
      className={joinClassNames(POPUP_CLASS, 'absolute top-full left-0 mt-1 min-w-64')}
      optionClass={OPTION_CLASS}
    >
      {({ text: offer, rows }) => (
        <>
          <span className="min-w-0 flex-1 truncate">{offer}</span>
          {rows !== null && <span className="pl-4 text-small text-ink-3 figures">{formatCount(rows)}</span>}
        </>
      )}
    </OptionList>
  );
}

interface Offer {
  readonly text: string;
  /** Number of rows with this value, or null if not counted. */
  readonly rows: number | null;
}

/** Returns the field in the typed text and the part of the value typed so far. */
function partsOf(text: string, fields: readonly FilterField[]): [FilterField | undefined, string] {
  const [, name = '', prefix = ''] = /^\s*-?([\w.-]+)\s*!?[:=]\s*!?(.*)$/.exec(text) ?? [];
  return [findFilterField(fields, name), prefix.trim()];
}

/**
 * Suggests fields while a field is typed. Then suggests values: first the values found in rows, then the
 * other allowed values.
 */
function offersFor(
  text: string,
  fields: readonly FilterField[],
  found: readonly FilterValueCount[],
): readonly Offer[] {
  const [, head = ''] = /^(\s*-?[\w.-]+\s*!?[:=]\s*!?)/.exec(text) ?? [];
  if (head === '')
    return fields
      .filter((field) => field.name.startsWith(text.trim()) || field.label.startsWith(text.trim()))
      .map((field) => ({ text: field.keyed ? `${field.name}.` : `${field.name}:`, rows: null }))
      .slice(0, 12);
  const [field, prefix] = partsOf(text, fields);
  const known = (field?.values ?? []).filter(
    (value) => value.startsWith(prefix) && !found.some((one) => one.value === value),
  );
  return [
    ...found.map(({ value, rows }) => ({ text: head.trimStart() + formatFilterValue([value]), rows })),
    ...known.map((value) => ({ text: head.trimStart() + value, rows: null })),
  ].slice(0, 12);
}
