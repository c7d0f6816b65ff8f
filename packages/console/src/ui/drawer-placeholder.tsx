/** Where a drawer is: beside the list where there is room, over it where there is none. */
export const DRAWER_CLASS =
  'fixed inset-0 z-30 border-line bg-surface md:left-auto md:w-[36rem] md:border-l xl:static xl:h-full xl:shrink-0';

/** Takes the width of a drawer beside the list while its code is being loaded. */
export function DrawerPlaceholder() {
  return <div className={`${DRAWER_CLASS} max-xl:hidden`} />;
}
