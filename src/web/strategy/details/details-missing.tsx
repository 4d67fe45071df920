import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** Stands where the details of a strategy could not be loaded. */
export function DetailsMissing({ text, reload, minHeight }: { text: string; reload: () => void; minHeight: number }) {
  return (
    <EmptyState
      text={text}
      hint="They could not be loaded."
      minHeight={minHeight}
      action={
        <Button variant="secondary" onClick={reload}>
          Try Again
        </Button>
      }
    />
  );
}
