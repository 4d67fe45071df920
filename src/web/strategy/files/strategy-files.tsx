import './files.css';
import { IconFileCode } from '@tabler/icons-react';
import { isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { CardPanel } from '../../ui/card-panel.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { LoadingRows } from '../../ui/skeleton.tsx';
import type { UseForBot } from '../rules/rules-screen.tsx';
import { FileRow } from './file-row.tsx';
import type { FilesState } from './use-strategy-files.ts';
import { useStrategyFiles } from './use-strategy-files.ts';

/** The command that writes a file to begin with, as it is typed in the clone. */
const newFile = 'npm run -s flotilla -- new-strategy NAME';

/** The files of the strategies' folder: what each holds, why one is refused, and which bots run an older version. */
export function StrategyFiles({ onUseForBot }: { onUseForBot: UseForBot }) {
  const state = useStrategyFiles();
  const { files } = state;
  return (
    <div className="strategy">
      <h1 className="fl-visually-hidden">Strategy Files</h1>
      <CardPanel
        title="Strategy Files"
        aside={files === undefined ? '' : `${files.files.length} ${files.files.length === 1 ? 'file' : 'files'}`}
        flush
      >
        <Listed state={state} onUseForBot={onUseForBot} />
        {files === undefined || files.files.length === 0 ? null : (
          <p className="files-foot">
            {files.folder === null ? null : (
              <>
                In <code>{files.folder}</code>. Files of freqtrade (.py) run here unchanged. Nothing is uploaded here; begin one with{' '}
                <code>{newFile}</code>.{' '}
              </>
            )}
            No bot takes a newer version by itself. Open trades stay open, and the new version decides from the next candle on.
          </p>
        )}
      </CardPanel>
    </div>
  );
}

function Listed({ state, onUseForBot }: { state: FilesState; onUseForBot: UseForBot }) {
  const admin = isAdmin(useUser());
  const { files, error, isLoading, reload } = state;
  if (files === undefined) {
    return error === null || isLoading ? (
      <LoadingRows label="Loading strategy files" rows={4} height={44} />
    ) : (
      <FailedLoad text="The strategy files could not be loaded." detail={error} isLoading={isLoading} onRetry={reload} />
    );
  }
  if (files.files.length === 0) {
    return (
      <EmptyState
        icon={<IconFileCode size={22} />}
        text="No strategies of your own yet"
        hint={
          admin && files.folder !== null
            ? `Put a TypeScript file, or one of freqtrade in Python, into ${files.folder}, or begin one there with "${newFile}".`
            : "An admin adds one by putting a file into the server's folder of strategies."
        }
        minHeight={220}
      />
    );
  }
  return (
    <ul className="files" aria-label="Strategy files">
      {files.files.map((file, i) => (
        <FileRow key={file.path ?? file.strategies[0]?.id ?? i} file={file} state={state} onUseForBot={onUseForBot} />
      ))}
    </ul>
  );
}
