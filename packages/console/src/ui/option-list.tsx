import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { joinClassNames } from './class-names.ts';

/**
 * What is offered for what is typed, below the input that owns it: keys walk it there, so the one they stand at is
 * brought into sight here. Out of sight while there is nothing to offer.
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
  /** Of the list, for `aria-controls`; an option has it with its place behind: `<id>-2`. */
  readonly id: string;
  readonly label: string;
  readonly options: readonly Option[];
  /** Where the keys stand; -1 for nowhere. */
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
        <div
          key={keyOf(option)}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onPointerDown={(event) => {
            // Before the input loses the focus, which would take the list away.
            event.preventDefault();
            onTake(option);
          }}
          className={optionClass}
        >
          {children(option)}
        </div>
      ))}
    </div>
  );
}

/** Within the list alone: the page around it stays where it is. The list is the option's offset parent. */
function bringIntoSight(list: HTMLElement, { offsetTop, offsetHeight }: HTMLElement): void {
  const bottom = offsetTop + offsetHeight;
  if (offsetTop < list.scrollTop) list.scrollTop = offsetTop;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
