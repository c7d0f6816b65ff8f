import { ConfigFileBanner } from './config-file-banner.tsx';
import { OutdatedDataBanner } from './outdated-data-banner.tsx';

/** Renders the banners that can appear above every page. */
export function PageBanners() {
  return (
    <>
      <ConfigFileBanner />
      <OutdatedDataBanner />
    </>
  );
}
