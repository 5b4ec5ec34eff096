# The one member of libclang's bindings that is used: where the shared library is.

class Config:
    def get_filename(self) -> str: ...
