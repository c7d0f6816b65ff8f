import { Pencil, Share2 } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../src/data/api-error.ts';
import { Button, IconButton } from '../../src/ui/button.tsx';
import { ConfirmDialog } from '../../src/ui/confirm-dialog.tsx';
import { Dialog } from '../../src/ui/dialog.tsx';
import { Drawer } from '../../src/ui/drawer.tsx';
import { Input } from '../../src/ui/field.tsx';
import { Menu, MenuCheckboxItem, MenuItem, MenuLabel } from '../../src/ui/menu.tsx';
import { OneTimeSecretDialog } from '../../src/ui/one-time-secret-dialog.tsx';
import { Popover } from '../../src/ui/popover.tsx';
import { showToast as toast } from '../../src/ui/toast.tsx';
import { useReportLog } from './report-log.tsx';

export function Tooltips() {
  const [open, setOpen] = useState(false);
  return (
    <main className="grid h-full place-items-center">
      <div className="flex gap-4">
        <Button onClick={() => setOpen(true)}>Open</Button>
        <IconButton icon={Share2} label="Share" keys="s" />
        <IconButton icon={Pencil} label="Edit" aria-describedby="remark" />
        <p id="remark">Everybody sees it</p>
      </div>
      <Dialog open={open} onClose={() => setOpen(false)} title="Question">
        <IconButton icon={Share2} label="Share this" />
      </Dialog>
    </main>
  );
}

export function Dialogs() {
  const [shown, setShown] = useState<'plain' | 'held' | null>(null);
  return (
    <main>
      <Button onClick={() => setShown('plain')}>Plain</Button>
      <Button onClick={() => setShown('held')}>Held</Button>
      <Dialog
        open={shown !== null}
        onClose={() => setShown(null)}
        title="New key"
        description="It is shown once."
        dismissible={shown === 'plain'}
        actions={<Button onClick={() => setShown(null)}>Done</Button>}
      >
        <Input aria-label="Name" />
      </Dialog>
    </main>
  );
}

/** Confirmed once, it is under way; confirmed by who may not, it is refused. */
export function Confirmations() {
  const [told, tell] = useReportLog();
  const [open, setOpen] = useState(false);
  const [state, setState] = useState<'asked' | 'refused' | 'running'>('asked');
  return (
    <main>
      <Button onClick={() => setOpen(true)}>Delete</Button>
      <ConfirmDialog
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={() => {
          tell('confirmed');
          setState(state === 'asked' ? 'refused' : 'running');
        }}
        title="Delete route smart?"
        verb="Delete route"
        typed="smart"
        running={state === 'running'}
        error={
          state === 'refused'
            ? new ApiError({ status: 409, code: 'conflict', message: 'Two keys still use it.' })
            : null
        }
      >
        Requests for it are refused.
      </ConfirmDialog>
      {told}
    </main>
  );
}

export function Menus() {
  const [told, tell] = useReportLog();
  const [on, setOn] = useState(false);
  return (
    <main>
      <Menu trigger={<Button>More</Button>}>
        <MenuLabel>Request</MenuLabel>
        <MenuItem keys="o" onSelect={() => tell('opened')}>
          Open
        </MenuItem>
        <MenuItem disabled onSelect={() => tell('replayed')}>
          Replay
        </MenuItem>
        <MenuItem current onSelect={() => tell('copied')}>
          Copy
        </MenuItem>
        <MenuCheckboxItem checked={on} onChange={setOn}>
          Bodies
        </MenuCheckboxItem>
      </Menu>
      <Popover label="Columns" trigger={<Button>Columns</Button>}>
        <Input aria-label="Find a column" />
      </Popover>
      {told}
    </main>
  );
}

export function ToastSpecimens() {
  const [told, tell] = useReportLog();
  return (
    <main>
      <Button onClick={() => toast('The limit was deleted.', () => tell('undone'))}>Delete</Button>
      <Button onClick={() => toast('Copied.')}>Copy</Button>
      {told}
    </main>
  );
}

export function DrawerBesideList() {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <main className="flex">
      {['one', 'two'].map((id) => (
        <button key={id} type="button" data-row={id} onClick={() => setOpen(id)}>
          {id}
        </button>
      ))}
      {open && (
        <Drawer title="Limit" about={open} onClose={() => setOpen(null)}>
          <Input aria-label="Name" />
        </Drawer>
      )}
    </main>
  );
}

export function RevealedSecret() {
  const [open, setOpen] = useState(true);
  return (
    <main>
      {open && (
        <OneTimeSecretDialog
          title="Key made"
          label="Copy key"
          what="key"
          secret={`eis_test${'0'.repeat(30)}last`}
          onClose={() => setOpen(false)}
        />
      )}
    </main>
  );
}
