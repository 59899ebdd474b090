; Puts Loudsmith among the programs that Windows offers to open a song with. It never becomes the one that opens it: electron-builder's own
; fileAssociations would, wherever the user has not chosen a player.

!define SONG_CLASS "Software\Classes\Loudsmith.Song"

!macro offerFor EXT
  WriteRegNone SHELL_CONTEXT "Software\Classes\.${EXT}\OpenWithProgids" "Loudsmith.Song"
!macroend

!macro withdrawFrom EXT
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.${EXT}\OpenWithProgids" "Loudsmith.Song"
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "${SONG_CLASS}" "" "Audio"
  WriteRegStr SHELL_CONTEXT "${SONG_CLASS}\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHELL_CONTEXT "${SONG_CLASS}\shell\open\command" "" '"$appExe" "%1"'
  !insertmacro offerFor "wav"
  !insertmacro offerFor "mp3"
  !insertmacro offerFor "flac"
  System::Call 'shell32::SHChangeNotify(i, i, i, i) v (0x08000000, 0, 0, 0)'
!macroend

!macro customUnInstall
  !insertmacro withdrawFrom "wav"
  !insertmacro withdrawFrom "mp3"
  !insertmacro withdrawFrom "flac"
  DeleteRegKey SHELL_CONTEXT "${SONG_CLASS}"
!macroend
