import { type ComponentType, lazy } from 'react';

const formParts: (() => unknown)[] = [];

/**
 * Creates a component whose code loads on demand, like `lazy` of React. Use it for a component without which
 * the page is still usable. If the code cannot be loaded, for example because an update of Floe has replaced
 * the files, a notice is shown and the page keeps its state.
 * @param isNeededByForms Whether to load the code as soon as a form is shown, so that the form can be saved
 * even after an update of Floe.
 */
export function lazyWithFailureNotice<Props>(
  load: () => Promise<ComponentType<Props>>,
  isNeededByForms = false,
) {
  let loading: Promise<{ readonly default: ComponentType<Props> }> | undefined;
  const start = () => {
    loading ??= load().then(
      (Part) => ({ default: Part }),
      () => {
        loading = undefined;
        return { default: LoadFailureNotice };
      },
    );
    return loading;
  };
  if (isNeededByForms) formParts.push(start);
  return lazy(start);
}

/**
 * Loads the lazy components that the user may need to save a form, so that saving still works after an update of Floe.
 */
export function loadFormComponents(): void {
  for (const load of formParts) load();
}

function LoadFailureNotice() {
  return (
    <p role="alert" className="fixed inset-x-0 bottom-0 z-50 bg-failing-tint p-2 text-ui text-failing-ink">
      Part of this page could not be loaded. Save your changes, then reload the page.
    </p>
  );
}
