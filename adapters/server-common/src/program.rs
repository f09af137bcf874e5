//! A server's program: where it is, and how it is started.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use busmark_adapter::{Error, ParticipantConfig, Result, Status};

use crate::address::Address;
use crate::child::{Ended, Running};
use crate::listening::Port;

/// Where servers are that are not in the `PATH` of everybody.
const SYSTEM: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"];
/// A free port is found and lost again at most so often.
const ATTEMPTS: usize = 5;

/// A program that is a server.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Name of its file.
    pub name: &'static str,
    /// The command that installs it.
    pub install: &'static str,
}

/// Where a server is to run; what it needs to know.
pub struct Place {
    /// A folder of its own, removed when the server has ended.
    pub folder: PathBuf,
    /// Where it must listen.
    pub address: Address,
}

impl Program {
    /// Its path; the error says how to install it.
    pub fn find(&self) -> Result<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = env::split_paths(&path).chain(SYSTEM.iter().map(PathBuf::from));
        folders.map(|folder| folder.join(self.name)).find(|file| file.is_file()).ok_or_else(|| {
            let text = format!("the server {} is not installed: {}", self.name, self.install);
            Status::Unavailable.error(text)
        })
    }

    /// Starts it on a free TCP port of the interface. `arguments` writes what files it needs into the
    /// place's folder and gives the command line.
    pub fn start(
        &self,
        config: &ParticipantConfig,
        arguments: &dyn Fn(&Place) -> Result<Vec<OsString>>,
    ) -> Result<Running> {
        self.start_at(config, &self.find()?, Port::Tcp, arguments)
    }

    /// As [`Program::start`], where the program is not in the `PATH`, or waits for datagrams.
    pub fn start_at(
        &self,
        config: &ParticipantConfig,
        program: &Path,
        port: Port,
        arguments: &dyn Fn(&Place) -> Result<Vec<OsString>>,
    ) -> Result<Running> {
        let mut attempt = 1;
        loop {
            let address = port.free(config.interface()?)?;
            let place = self.place(config, address.into())?;
            let arguments = arguments(&place)?;
            match Running::start(self.name, program, &arguments, place, Some((port, address))) {
                Ok(running) => return Ok(running),
                // It may have lost a race for the port, and who won may have left it since.
                Err(Ended::AtStart(_)) if attempt < ATTEMPTS => attempt += 1,
                Err(Ended::AtStart(error) | Ended::Otherwise(error)) => return Err(error),
            }
        }
    }

    /// As [`Program::start`], on a Unix-domain socket in its folder.
    pub fn start_on_unix_socket(
        &self,
        config: &ParticipantConfig,
        arguments: &dyn Fn(&Place) -> Result<Vec<OsString>>,
    ) -> Result<Running> {
        let program = self.find()?;
        let mut place = self.place(config, Address::Unix(PathBuf::new()))?;
        place.address = Address::unix(&place.folder.join("socket"))?;
        let arguments = arguments(&place)?;
        Running::start(self.name, &program, &arguments, place, None).map_err(Error::from)
    }

    /// A new folder for a server with this address.
    fn place(&self, config: &ParticipantConfig, address: Address) -> Result<Place> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{number}", self.name, std::process::id());
        let folder = Path::new(&config.run_dir).join(name);
        fs::create_dir(&folder)
            .map_err(|error| Status::Failed.error(format!("{}: {error}", folder.display())))?;
        Ok(Place { folder, address })
    }
}

impl Place {
    /// Writes a file into the folder and gives its path.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.join(name);
        fs::write(&path, text)
            .map_err(|error| Status::Failed.error(format!("{}: {error}", path.display())))?;
        Ok(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What is left of it has nobody to be told to; the run directory goes later.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
