import { type ComponentProps, type ElementType, useEffect } from 'react';

interface RemoveScrollProps extends ComponentProps<'div'> {
  readonly as?: ElementType;
  readonly enabled?: boolean;
  readonly allowPinchZoom?: boolean;
  readonly shards?: unknown;
}

/**
 * Prevents the page from scrolling while it is rendered. It replaces the package `react-remove-scroll` (see
 * vite.config.ts), which adds a style element that the Content Security Policy of the page forbids. This
 * component sets an attribute instead, to which console.css applies styles.
 */
export function RemoveScroll({ as: Part = 'div', enabled = true, ...props }: RemoveScrollProps) {
  const { allowPinchZoom: _pinch, shards: _shards, ...rest } = props;
  useEffect(() => {
    if (!enabled) return;
    const { dataset } = document.documentElement;
    const depth = Number(dataset['locked'] ?? 0) + 1;
    dataset['locked'] = String(depth);
    return () => {
      const left = Number(dataset['locked'] ?? 1) - 1;
      if (left > 0) dataset['locked'] = String(left);
      else delete dataset['locked'];
    };
  }, [enabled]);
  return <Part {...rest} />;
}
RemoveScroll.classNames = { fullWidth: '', zeroRight: '' };
