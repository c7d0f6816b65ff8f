/**
 * While the response to a change is handled: whether the component that sent the change is still rendered.
 * Otherwise null.
 */
let isSenderRendered: boolean | null = null;

/**
 * Calls `handle`, which shows the result of a change and may open another page.
 * @param isRendered Whether the component that sent the change is still rendered.
 */
export function handleChangeResult(isRendered: boolean, handle: () => void): void {
  isSenderRendered = isRendered;
  try {
    handle();
  } finally {
    isSenderRendered = null;
  }
}

/**
 * Returns whether the result of a change is being handled after the user has left the form or dialog that sent
 * it. The result must then not open a page.
 */
export function isHandlingResultAfterUnmount(): boolean {
  return isSenderRendered === false;
}

/**
 * Returns whether the result of a change is being handled while its form or dialog is still rendered. If the
 * result opens a page, the form must not ask for confirmation because of unsaved changes.
 */
export function isHandlingResultWhileMounted(): boolean {
  return isSenderRendered === true;
}
