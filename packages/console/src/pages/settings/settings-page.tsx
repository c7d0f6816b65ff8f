import { type ComponentType, lazy, Suspense, useRef } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { useScrollCurrentLinkIntoView } from '../../app/use-scroll-current-link-into-view.ts';
import { joinClassNames } from '../../ui/class-names.ts';
import { EmptyState, Skeleton } from '../../ui/feedback.tsx';
import { OrgSection } from './org-section.tsx';
import { SettingsForm } from './settings-form.tsx';
import { settingsText } from './text.ts';

const Account = lazy(() =>
  import('./account-section.tsx').then((part) => ({ default: part.AccountSection })),
);
const Appearance = lazy(() =>
  import('./appearance-section.tsx').then((part) => ({ default: part.AppearanceSection })),
);

const Configuration = lazy(() =>
  import('./configuration-section.tsx').then((part) => ({ default: part.ConfigurationSection })),
);

interface Section {
  readonly id: string;
  readonly label: string;
  readonly Part: ComponentType;
}

const SECTIONS: readonly { readonly title: string; readonly sections: readonly Section[] }[] = [
  {
    title: settingsText.page.organizationGroup,
    sections: [
      { id: 'organization', label: settingsText.page.names.organization, Part: OrgSection },
      {
        id: 'gateway',
        label: settingsText.page.names.gateway,
        Part: () => <SettingsForm section="gateway" />,
      },
      { id: 'data', label: settingsText.page.names.data, Part: () => <SettingsForm section="data" /> },
      {
        id: 'monitoring',
        label: settingsText.page.names.monitoring,
        Part: () => <SettingsForm section="monitoring" />,
      },
      { id: 'configuration', label: settingsText.page.names.configuration, Part: Configuration },
    ],
  },
  {
    title: settingsText.page.accountGroup,
    sections: [
      { id: 'account', label: settingsText.page.names.account, Part: Account },
      { id: 'appearance', label: settingsText.page.names.appearance, Part: Appearance },
    ],
  },
];

const FIRST = 'organization';

/** Shows the settings of the organization and of the signed-in user. Each section is saved separately. */
export function SettingsPage() {
  const chosen = usePathParam('section') || FIRST;
  const section = SECTIONS.flatMap(({ sections }) => sections).find(({ id }) => id === chosen);
  return (
    <PageFrame title={settingsText.page.title}>
      <div className="grid items-start gap-6 md:grid-cols-[11rem_minmax(0,44rem)]">
        <SectionNav chosen={chosen} />
        <div className="grid min-w-0 gap-4">
          <Suspense fallback={<Skeleton className="h-48" />}>
            {section ? (
              <section.Part key={section.id} />
            ) : (
              <EmptyState title={settingsText.page.notFound.title}>
                {settingsText.page.notFound.text}
              </EmptyState>
            )}
          </Suspense>
        </div>
      </div>
    </PageFrame>
  );
}

function SectionNav({ chosen }: { readonly chosen: string }) {
  const list = useRef<HTMLElement>(null);
  useScrollCurrentLinkIntoView(list, chosen);
  return (
    <nav
      ref={list}
      aria-label={settingsText.page.sections}
      className="flex gap-x-6 gap-y-3 max-md:overflow-x-auto md:grid"
    >
      {SECTIONS.map(({ title, sections }) => (
        <div key={title} className="flex gap-1 md:grid">
          <div className="px-2 pb-1 text-label text-ink-3 max-md:hidden">{title}</div>
          {sections.map(({ id, label }) => (
            <OrgLink
              key={id}
              to={`/management/settings/${id}`}
              className={joinClassNames(
                'flex h-8 items-center rounded-control px-2 text-ui whitespace-nowrap pointer-coarse:h-11',
                id === chosen ? 'bg-selected font-medium text-ink' : 'text-ink-2 hover:bg-hover',
              )}
            >
              {label}
            </OrgLink>
          ))}
        </div>
      ))}
    </nav>
  );
}
