import { IconMoodSad } from '@tabler/icons-react';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';

/** In the place of a part of the page that breaks, or whose code could not be fetched. */
export function BrokenPart({ text }: { text: string }) {
  return (
    <div className="fl-panel fl-broken" role="alert">
      <EmptyState icon={<IconMoodSad size={22} />} text={text} hint="Your bots are not affected: they run on the server." />
      <Button onClick={() => window.location.reload()}>Reload</Button>
    </div>
  );
}

/** What is said of a part whose code could not be fetched. */
export const unloadedText = 'This part of the page could not be loaded: the server was not reachable.';

/** Whether the code of a part could not be fetched; each browser has words of its own for it. */
export function isUnloaded(error: unknown): boolean {
  return error instanceof TypeError && /dynamically imported module|importing a module|module script/iu.test(error.message);
}
