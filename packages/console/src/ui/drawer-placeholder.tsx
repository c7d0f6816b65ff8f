/** The CSS classes that position a drawer: next to the list on wide screens, over the list on narrow ones. */
export const DRAWER_CLASS =
  'fixed inset-0 z-30 border-line bg-surface md:left-auto md:w-[36rem] md:border-l xl:static xl:h-full xl:shrink-0';

/** Reserves the width of a drawer next to the list while the drawer’s code loads. */
export function DrawerPlaceholder() {
  return <div className={`${DRAWER_CLASS} max-xl:hidden`} />;
}
