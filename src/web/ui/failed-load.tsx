import { Banner } from './banner.tsx';
import { Button } from './button.tsx';

/** See `FailedLoad`. */
export interface FailedLoadProps {
  text: string;
  detail?: string | null;
  isLoading: boolean; // again
  onRetry: () => void;
}

/** Says that something could not be loaded, and loads it again. */
export function FailedLoad({ text, detail = null, isLoading, onRetry }: FailedLoadProps) {
  return (
    <div className="fl-failed-load">
      <Banner tone="error" text={text} detail={detail} />
      <Button variant="secondary" loading={isLoading} onClick={onRetry}>
        Retry
      </Button>
    </div>
  );
}
