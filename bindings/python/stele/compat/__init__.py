"""Drop-in modules for programs that keep their state in the files Stele reads."""
