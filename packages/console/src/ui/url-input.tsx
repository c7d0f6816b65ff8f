import { type ComponentProps, useRef, useState } from 'react';
import { useUrlState } from '../app/url-state.ts';
import { useOnChange } from '../data/on-change.ts';
import { Input } from './field.tsx';

/**
 * A text that stands in the URL under `name`. Who types fast is ahead of the address: what is typed is kept here, and
 * the address is followed when somebody else changes it, as Back does.
 */
export function UrlInput({
  name,
  ...props
}: Omit<ComponentProps<'input'>, 'value' | 'onChange'> & { readonly name: string }) {
  const { query, change } = useUrlState();
  const inUrl = query.get(name) ?? '';
  const [typed, setTyped] = useState(inUrl);
  const box = useRef<HTMLInputElement>(null);
  useOnChange(inUrl, () => {
    if (document.activeElement !== box.current) setTyped(inUrl);
  });
  return (
    <Input
      {...props}
      ref={box}
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value);
        change({ [name]: target.value || null }, 'replace');
      }}
    />
  );
}
