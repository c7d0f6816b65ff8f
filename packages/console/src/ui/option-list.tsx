import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { joinClassNames } from './class-names.ts';

/**
 * Lists suggestions below an input that has the focus. The selected option is scrolled into view. Renders
 * nothing if there are no options.
 */
export function OptionList<Option>({
  id,
  label,
  options,
  at,
  keyOf,
  onTake,
  className,
  optionClass,
  children,
}: {
  /** Element ID of the list, for `aria-controls`. Option IDs append the index, as in `<id>-2`. */
  readonly id: string;
  readonly label: string;
  readonly options: readonly Option[];
  /** Index of the selected option, or -1 if none. */
  readonly at: number;
  readonly keyOf: (option: Option) => string;
  readonly onTake: (option: Option) => void;
  readonly className: string;
  readonly optionClass: string;
  readonly children: (option: Option) => ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const option = list.current?.children[at];
    if (list.current && option instanceof HTMLElement) bringIntoSight(list.current, option);
  }, [at]);
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      className={joinClassNames(className, options.length === 0 && 'hidden')}
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
        <div
          key={keyOf(option)}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          // Prevents the input from losing focus, which would close the list.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(option)}
          className={optionClass}
        >
          {children(option)}
        </div>
      ))}
    </div>
  );
}

/** Scrolls only the list, not the page. The list is the offset parent of the option. */
function bringIntoSight(list: HTMLElement, { offsetTop, offsetHeight }: HTMLElement): void {
  const bottom = offsetTop + offsetHeight;
  if (offsetTop < list.scrollTop) list.scrollTop = offsetTop;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
