import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { useSignedInSession } from '../data/session.ts';
import { Menu, MenuItem, MenuLabel } from '../ui/menu.tsx';
import { FloeLogo } from './floe-logo.tsx';

/** Shows the current organization and switches to the user’s other organizations. */
export function OrgSwitcher({ iconsOnly }: { readonly iconsOnly: boolean }) {
  const { org, orgs, role } = useSignedInSession();
  const navigate = useNavigate();
  const trigger = (
    <button
      type="button"
      aria-label={iconsOnly ? `Organization ${org.name}` : undefined}
      className="flex min-h-10 flex-1 items-center gap-2.5 rounded-control px-1.5 text-left hover:bg-hover"
    >
      <FloeLogo />
      {!iconsOnly && (
        <>
          <span className="min-w-0 flex-1">
            <span className="block truncate text-ui font-semibold">{org.name}</span>
            <span className="block text-small text-ink-3 capitalize">{role}</span>
          </span>
          <ChevronsUpDown size={14} className="text-ink-3" aria-hidden="true" />
        </>
      )}
    </button>
  );
  return (
    <Menu trigger={trigger} align="start">
      <MenuLabel>Organizations</MenuLabel>
      {orgs.map(({ id, name }) => (
        <MenuItem key={id} current={id === org.id} onSelect={() => void navigate({ to: `/o/${id}` })}>
          {name}
        </MenuItem>
      ))}
    </Menu>
  );
}
