import { IconRobot } from '@tabler/icons-react';
import { changeAddress } from '../address/address.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** Stands on a tab about one bot while none is selected. */
export function NeedsBot({ what }: { what: string }) {
  return (
    <div className="fl-panel">
      <EmptyState
        icon={<IconRobot size={22} />}
        text="No bot is selected"
        hint={`Select a bot to see its ${what}.`}
        minHeight={240}
        action={
          <Button variant="secondary" onClick={() => changeAddress({ view: null })}>
            Open the List of Bots
          </Button>
        }
      />
    </div>
  );
}
