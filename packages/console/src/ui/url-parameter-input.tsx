import { type ComponentProps, useRef, useState } from 'react';
import { useUrlState } from '../app/url-state.ts';
import { useValueEffect } from '../data/use-value-effect.ts';
import { Input } from './field.tsx';

/**
 * Renders a text input whose value is stored in the URL parameter `name`. The typed text is also kept in the
 * component, because the URL is updated later. If the URL changes for another reason, such as Back, the input
 * shows the new value.
 */
export function UrlParameterInput({
  name,
  ...props
}: Omit<ComponentProps<'input'>, 'value' | 'onChange'> & { readonly name: string }) {
  const { query, change } = useUrlState();
  const inUrl = query.get(name) ?? '';
  const [typed, setTyped] = useState(inUrl);
  const box = useRef<HTMLInputElement>(null);
  useValueEffect(inUrl, () => {
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
